import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { timestamp } from '../database/expressions.js'
import { preparePage } from '../database/lists.js'
import { type After, newestFirst } from '../database/pages.js'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'

interface AuditEventFilters extends After {
  organization_id: string
  category: string | null
  event_type: string | null
  status: string | null
}

const filterNames = ['category', 'event_type', 'status']

/** The contract's AuditEvent. An event never changes, so its update is its creation. */
const auditEventColumns = [
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
  timestamp('audit_events', 'created_at'),
  timestamp('audit_events', 'created_at', 'updated_at'),
] as const

/** A page of events, newest first. */
export const selectAuditEvents = preparePage(
  'select_audit_events',
  (db, parameters: ParametersOf<AuditEventFilters>) => {
    const { organization_id, category, event_type, status, ...after } = parameters
    const query = db
      .selectFrom('audit_events')
      .select(auditEventColumns)
      .where('organization_id', '=', organization_id)
      .$if(category !== null, (query) => query.where('category', '=', category))
      .$if(event_type !== null, (query) => query.where('event_type', '=', event_type))
      .$if(status !== null, (query) => query.where('status', '=', status))
    return newestFirst(query, 'audit_events', after)
  },
  { planAnew: (given) => filterNames.filter((name) => given.includes(name)).length > 1 },
)

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
