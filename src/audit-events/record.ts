import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { createId } from '../identifiers.js'

type Changes = Record<string, { from: unknown; to: unknown }>

export interface AuditEvent {
  organization_id: string
  category: string
  event_type: string
  status?: 'info' | 'success' | 'warning' | 'failure'
  /** The acting user where the request does not know one yet, as at registration; else the caller. */
  actor_id?: string
  /** Who acts where it is neither a user nor nobody. */
  actor_type?: 'system'
  changes?: Changes
  metadata?: Record<string, unknown>
}

/** Writes what happened in the transaction that makes it happen. Never caught: both or neither. */
export async function recordAuditEvents(
  trx: Transaction<Database>,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  events: AuditEvent[],
): Promise<void> {
  for (const event of events) {
    const { metadata, ...row } = auditEventRow(request, event)
    await insertAuditEvent(trx, { ...row, metadata: JSON.stringify(metadata) })
  }
}

type AuditEventRow = ReturnType<typeof auditEventRow>

const insertAuditEvent = prepare(
  'insert_audit_event',
  (db, event: ParametersOf<Omit<AuditEventRow, 'metadata'> & { metadata: string }>) => {
    const metadata = sql<AuditEventRow['metadata']>`${event.metadata}::jsonb`
    return db.insertInto('audit_events').values({ ...event, metadata })
  },
)

/** An event as it is stored, with who did it in which request. */
function auditEventRow({ id, caller }: Pick<FastifyRequest, 'id' | 'caller'>, event: AuditEvent) {
  const { organization_id, category, event_type, status = 'success', changes } = event
  const actor_id = event.actor_id ?? caller?.user_id ?? null
  const isCrossTenant = caller !== null && caller.organization_id !== organization_id
  return {
    organization_id,
    _id: createId(),
    category,
    event_type,
    status,
    actor_type: event.actor_type ?? actorType(actor_id, caller),
    actor_id,
    request_id: id,
    metadata: {
      ...event.metadata,
      ...(changes && { changes }),
      ...(isCrossTenant && { cross_tenant: true }),
    },
  }
}

function actorType(actor_id: string | null, caller: FastifyRequest['caller']): string {
  if (actor_id === null) return 'anonymous'
  return caller?.role === 'bot' ? 'bot' : 'user'
}

/** The fields that differ between two versions of a record. */
export function changesBetween<T extends object>(before: T, after: T): Changes {
  const changes: Changes = {}
  for (const [field, to] of Object.entries(after)) {
    const from: unknown = Reflect.get(before, field)
    if (!isDeepStrictEqual(from, to)) changes[field] = { from, to }
  }
  return changes
}
