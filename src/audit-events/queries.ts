import type { Kysely } from 'kysely'
import { timestamp } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { newestFirst, type Position } from '../paging.js'

export interface AuditEventFilters {
  category: string | null
  event_type: string | null
  status: string | null
}

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
  timestamp('created_at').as('created_at'),
  timestamp('created_at').as('updated_at'),
] as const

export function selectAuditEvents(
  db: Kysely<Database>,
  organization_id: string,
  { category, event_type, status }: AuditEventFilters,
  after: Position | null,
) {
  const query = db
    .selectFrom('audit_events')
    .select(auditEventColumns)
    .where('organization_id', '=', organization_id)
    .$if(category !== null, (query) => query.where('category', '=', category))
    .$if(event_type !== null, (query) => query.where('event_type', '=', event_type))
    .$if(status !== null, (query) => query.where('status', '=', status))
  return newestFirst(query, 'audit_events', after)
}
