import type { Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import { prepareStoredPage } from '../database/lists.js'
import { type After, newestFirst } from '../database/pages.js'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { valueError } from '../errors.js'
import { inUtc } from '../timestamps.js'

/** What an event says, in the contract's order; stored beside its document. */
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

/** Those that events can be filtered by. */
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
type Given = { readonly [Name in keyof Filters]?: string | null }

/** The filters that the query of a request gives, each null where it gives none. */
export function readFilters(query: Given): Filters {
  const { since, until } = query
  if (since && until && Date.parse(since) > Date.parse(until)) {
    throw valueError(['query', 'until'], 'should not be before since')
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

/** What holds for the events that every filter lets through. */
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

/** A page of events, newest first. An event never changes, so its text is stored with it. */
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

/**
 * Whether an organization has changed in the last 30 s: the 5 s that a replica may be behind, and 25 s
 * from the beginning of a transaction, which is an event's time, to its end or to the mail after it.
 */
export async function hasChangedRecently(
  db: Kysely<Database>,
  organization_id: string,
): Promise<boolean> {
  const events = await selectRecentEvent(db, { organization_id })
  return events.length > 0
}

const selectRecentEvent = prepare(
  'select_recent_event',
  (db, { organization_id }: ParametersOf<{ organization_id: string }>) =>
    db
      .selectFrom('audit_events')
      .select('created_at')
      .where('organization_id', '=', organization_id)
      .where('created_at', '>', sql<string>`now() - interval '30 seconds'`)
      .limit(sql.lit(1)),
)
