import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import { prepareStoredPage } from '../database/lists/lists.js'
import { type After, newestFirst } from '../database/lists/pages.js'
import type { ParametersOf } from '../database/statements.js'
import { valueError } from '../faults.js'
import { inUtc } from '../formats/timestamps.js'

/** The fields of an event, in the contract's order. They are stored beside its document. */
export const eventColumns = [
  '_id',
  'organization_id',
  'category',
  'event_type',
  'status',
  'actor_type',
  'actor_id',
  'case_id',
  'request_id',
  'conversation_id',
  'channel_id',
  'thread_id',
  'metadata',
  'created_at',
] as const

/** The columns that events can be filtered by. */
const filterColumns = [
  'category',
  'event_type',
  'status',
  'actor_id',
  'request_id',
  'case_id',
  'conversation_id',
  'channel_id',
  'thread_id',
] as const

export type Filters = Record<(typeof filterColumns)[number] | 'since' | 'until', string | null>
type FilterParameters = { readonly [Name in keyof Filters]?: string | null }

/** The filters of a request. A filter that is not set is null. */
export function readFilters(query: FilterParameters): Filters {
  const { since, until } = query
  if (since && until && Date.parse(since) > Date.parse(until)) {
    throw valueError(['query', 'until'], 'end_before_start', 'should not be before since')
  }
  return {
    category: query.category ?? null,
    event_type: query.event_type ?? null,
    status: query.status ?? null,
    actor_id: query.actor_id ?? null,
    request_id: query.request_id ?? null,
    case_id: query.case_id ?? null,
    conversation_id: query.conversation_id ?? null,
    channel_id: query.channel_id ?? null,
    thread_id: query.thread_id ?? null,
    since: since ? inUtc(since) : null,
    until: until ? inUtc(until) : null,
  }
}

/** The SQL conditions of all filters that are set. */
export function conditionsOf({ since, until, ...values }: ParametersOf<Filters>) {
  const conditions: RawBuilder<boolean>[] = []
  for (const column of filterColumns) {
    const value = values[column]
    if (value !== null) conditions.push(sql`${sql.ref(`audit_events.${column}`)} = ${value}`)
  }
  if (since !== null) conditions.push(sql`audit_events.created_at >= ${since}`)
  if (until !== null) conditions.push(sql`audit_events.created_at < ${until}`)
  return conditions
}

/** A page of events, newest first. An event never changes, so its JSON is stored with it. */
export const selectAuditEvents = prepareStoredPage<
  Filters & After & { organization_id: string },
  Schema<'AuditEvent'>
>(
  'select_audit_events',
  (db, { organization_id, after_created_at, after_id, ...filters }) => {
    const query = db
      .selectFrom('audit_events')
      .select('document as json')
      .where('organization_id', '=', organization_id)
    const after = { after_created_at, after_id }
    const filtered = conditionsOf(filters).reduce((all, one) => all.where(one), query)
    return newestFirst(filtered, 'audit_events', after)
  },
  { planAnew: (given) => given.filter((name) => filterNames.has(name)).length > 1 },
)

export const filterNames = new Set<string>([...filterColumns, 'since', 'until'])
