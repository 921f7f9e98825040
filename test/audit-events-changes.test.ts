import { type RawBuilder, sql } from 'kysely'
import { auditEventRow, changesBetween, insertChangeEvent } from '../src/audit-events/record.js'
import type { ParametersOf } from '../src/database/statements.js'
import { createId } from '../src/identifiers.js'
import { t } from './helpers/file.js'
import { auditEvents, startService } from './helpers/service.js'

interface Version {
  text: string | null
  flag: boolean | null
  count: number | null
  list: unknown[] | null
  object: Record<string, unknown> | null
}

const fields = ['text', 'flag', 'count', 'list', 'object'] as const
const none: Version = { text: null, flag: null, count: null, list: null, object: null }
const full: Version = { text: 'a', flag: true, count: 1, list: ['a', 'b'], object: { a: 1, b: 2 } }

const cases: Record<string, [Version, Version]> = {
  'nothing at all': [full, full],
  'nothing, all being null': [none, none],
  'everything from null': [none, full],
  'everything to null': [full, none],
  'a text to an empty one': [full, { ...full, text: '' }],
  'a text by its case': [full, { ...full, text: 'A' }],
  'true to false': [full, { ...full, flag: false }],
  'a number to zero': [full, { ...full, count: 0 }],
  'the order of a list': [full, { ...full, list: ['b', 'a'] }],
  'a list to an empty one': [full, { ...full, list: [] }],
  'nothing but the order of keys': [full, { ...full, object: { b: 2, a: 1 } }],
  'something deep': [full, { ...full, object: { a: 1, b: { c: [null] } } }],
  'two of many fields': [full, { ...full, text: 'ä', count: 2 }],
}

const { call, db, registerAdmin } = await startService(t)
const { organization_id, ...rest } = await registerAdmin()

for (const [title, [before, after]] of Object.entries(cases)) {
  t.test(`What changed is ${title}, in TypeScript and in SQL`, async (t) => {
    const request = { id: createId(), caller: null }
    const event = { organization_id, category: 'organization', event_type: 'branding_updated' }
    const { metadata, ...row } = auditEventRow(request, event)
    const values = { ...row, metadata: JSON.stringify(metadata) }
    await sql`with before as (${version(before)}), after as (${version(after)})
      ${insertChangeEvent(asParameters(values), fields)}`.execute(db)
    const [recorded] = await auditEvents(call, { organization_id, ...rest })
    t.equal(recorded?._id, row._id)
    t.strictSame(recorded?.metadata?.changes, changesBetween(before, after))
  })
}

/** The values where a statement would have parameters for them. */
function asParameters<V extends object>(values: V): ParametersOf<V> {
  const parameters = Object.entries(values).map(([name, value]) => {
    return [name, value === null ? null : sql.val(value)]
  })
  return Object.fromEntries(parameters)
}

function version(values: Version): RawBuilder<unknown> {
  return sql`select * from jsonb_to_record(${JSON.stringify(values)}::jsonb)
    as version(text text, flag boolean, count integer, list jsonb, object jsonb)`
}
