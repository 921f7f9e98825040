import { createHash } from 'node:crypto'
import { withoutLongValues } from '../../src/audit-events/long-values.js'
import { changesBetween } from '../../src/audit-events/record.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'

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

const cases: Record<string, [Version, Version, readonly (keyof Version)[]]> = {
  'no change of equal values': [full, full, []],
  'no change of fields that stay null': [none, none, []],
  'each field that was null': [none, full, fields],
  'each field that becomes null': [full, none, fields],
  'a text that becomes empty': [full, { ...full, text: '' }, ['text']],
  'a text with another case': [full, { ...full, text: 'A' }, ['text']],
  'true that becomes false': [full, { ...full, flag: false }, ['flag']],
  'a number that becomes zero': [full, { ...full, count: 0 }, ['count']],
  'a list in another order': [full, { ...full, list: ['b', 'a'] }, ['list']],
  'a list that becomes empty': [full, { ...full, list: [] }, ['list']],
  'no change of the order of keys': [full, { ...full, object: { b: 2, a: 1 } }, []],
  'a change deep in an object': [full, { ...full, object: { a: 1, b: { c: [null] } } }, ['object']],
  'two of many fields': [full, { ...full, text: 'ä', count: 2 }, ['text', 'count']],
}

for (const [title, [before, after, changed]] of Object.entries(cases)) {
  t.test(`changesBetween returns ${title}`, async (t) => {
    const expected = changed.map((field) => [field, { from: before[field], to: after[field] }])
    t.strictSame(changesBetween(before, after), Object.fromEntries(expected))
  })
}

t.test('Long values are summarized in an event that would be too long', async (t) => {
  const long = Array.from({ length: 1_000 }, (_, i) => `session ${i}`.padEnd(128, '🗝'))
  const sha256 = createHash('sha256').update(JSON.stringify(long)).digest('hex')
  const summary = { bytes: Buffer.byteLength(JSON.stringify(long)), sha256 }
  const changes = { name: { from: 'a', to: 'b' }, list: { from: null, to: long } }
  t.strictSame(withoutLongValues({ name: 'x', made: long, cross_tenant: true, changes }), {
    name: 'x',
    made: summary,
    cross_tenant: true,
    changes: { name: { from: 'a', to: 'b' }, list: { from: null, to: summary } },
  })
  const fitting = { changes: { list: { from: long.slice(0, 50), to: [] } } }
  t.equal(withoutLongValues(fitting), fitting)
})

t.test('A large change is recorded in at most 64 KiB', async (t) => {
  const { call, registerAdmin } = await startService(t)
  const admin = await registerAdmin()
  const { token } = admin
  const idsOf = (name: string) =>
    Array.from({ length: 1_000 }, (_, i) => `${name} ${i} ${'x'.repeat(40)}`)
  const body = { name: 'Long', control_session_ids: idsOf('c'), assignment_ids: idsOf('a') }
  await call('createExperiment', { token, body })
  const [event] = await auditEvents(call, admin, { event_type: 'experiment_created' })
  t.ok(JSON.stringify(event).length <= 65_536)
  t.match(event?.metadata, {
    changes: { name: { from: null, to: 'Long' }, control_session_ids: { from: [] } },
  })
})
