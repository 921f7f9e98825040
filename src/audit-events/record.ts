import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
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
  await trx
    .insertInto('audit_events')
    .values(
      events.map((event) => {
        const { metadata, ...row } = auditEventRow(request, event)
        return { ...row, metadata: jsonb(metadata) }
      }),
    )
    .execute()
}

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

/**
 * The part of a statement that writes an event, given as JSON, beside the change it records: with
 * the differences between the rows `before` and `after`, where there are both.
 */
export function insertChangeEvent(event: string) {
  return sql`
    insert into audit_events
    select event.*
    from before, after,
      lateral (
        select jsonb_object_agg(key, jsonb_build_object('from', old.value, 'to', new.value)) as changes
        from jsonb_each(to_jsonb(before)) as old join jsonb_each(to_jsonb(after)) as new using (key)
        where new.value is distinct from old.value and key <> 'updated_at'
      ) as difference,
      lateral jsonb_populate_record(null::audit_events, ${event}::jsonb || jsonb_build_object(
        'created_at', now(),
        'metadata', (${event}::jsonb -> 'metadata') || jsonb_build_object('changes', changes)
      )) as event`
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
