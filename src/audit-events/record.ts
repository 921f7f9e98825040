import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import { columnsOf, jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import type { ParametersOf } from '../database/statements.js'
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
  if (events.length === 0) return
  const rows = events.map((event) => auditEventRow(request, event))
  await trx
    .insertInto('audit_events')
    .values(rows.map((row) => ({ ...row, metadata: jsonb(row.metadata) })))
    .execute()
}

const columns = columnsOf<AuditEventRow>({
  organization_id: true,
  _id: true,
  category: true,
  event_type: true,
  status: true,
  actor_type: true,
  actor_id: true,
  request_id: true,
  metadata: true,
})

export type AuditEventRow = ReturnType<typeof auditEventRow>

/** An event as it is stored, with who did it in which request. */
export function auditEventRow(
  { id, caller }: Pick<FastifyRequest, 'id' | 'caller'>,
  event: AuditEvent,
) {
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

/** The same as the values of a statement. */
export type AuditEventValues = Omit<AuditEventRow, 'metadata'> & { metadata: string }

/**
 * The part of a statement that writes an event beside the change it records: with the fields that
 * differ between the rows `before` and `after`, where there are both.
 */
export function insertChangeEvent(
  event: ParametersOf<AuditEventValues>,
  fields: readonly string[],
) {
  const changes = fields.map((field) => {
    const [from, to] = [sql.ref(`before.${field}`), sql.ref(`after.${field}`)]
    const change = sql`jsonb_build_object('from', ${from}, 'to', ${to})`
    return sql`case when ${from} is distinct from ${to}
      then jsonb_build_object(${sql.lit(field)}, ${change}) else '{}' end`
  })
  return sql`
    insert into audit_events (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${event.organization_id}, ${event._id}, ${event.category}, ${event.event_type},
      ${event.status}, ${event.actor_type}, ${event.actor_id}, ${event.request_id},
      ${event.metadata}::jsonb || jsonb_build_object('changes', ${sql.join(changes, sql` || `)})
    from before, after`
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
