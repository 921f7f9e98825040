import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { Schema } from '../contract.js'
import { batchesOf } from '../database/batches.js'
import type { Database } from '../database/schema.js'
import { createId } from '../identifiers.js'
import { withoutLongValues } from './long-values.js'
import { insertAuditEvents, type NewRow } from './record-queries.js'

type Changes = Record<string, { from: unknown; to: unknown }>
type Request = Pick<FastifyRequest, 'id' | 'caller'>

/** What an event may be about, each found again by a filter of the listing. */
interface References {
  case_id?: string | null
  conversation_id?: string | null
  channel_id?: string | null
  thread_id?: string | null
}

export interface AuditEvent extends References {
  organization_id: string
  category: string
  event_type: string
  status?: string
  /** The acting user where the request does not know one yet, as at registration; else the caller. */
  actor_id?: string
  /** Who acts where that is neither a user nor nobody; null where the service cannot know. */
  actor_type?: 'system' | null
  changes?: Changes
  metadata?: Record<string, unknown>
}

/** More events are written by several statements, so that other requests get by between them. */
export const mostAtOnce = 100

/**
 * Writes what happened in the transaction that makes it happen. Never caught: both or neither.
 * Returns the `_id` of each event. Each event is prepared when its statement is.
 */
export async function recordAuditEvents(
  trx: Transaction<Database>,
  request: Request,
  events: Iterable<AuditEvent>,
): Promise<string[]> {
  const ids: string[] = []
  for (const rows of batchesOf(rowsOf(request, events), mostAtOnce)) {
    await insertAuditEvents(trx, rows)
    for (const { _id } of rows) ids.push(_id)
  }
  return ids
}

function* rowsOf(request: Request, events: Iterable<AuditEvent>): Generator<NewRow> {
  for (const event of events) yield auditEventRow(request, event)
}

/** An event as it is stored, with who did it in which request. */
function auditEventRow({ id, caller }: Request, event: AuditEvent): NewRow {
  const { organization_id, category, event_type, status = 'success', changes } = event
  const actor_id = event.actor_id ?? caller?.user_id ?? null
  const isCrossTenant = caller !== null && caller.organization_id !== organization_id
  const metadata = withoutLongValues({
    ...event.metadata,
    ...(changes && { changes }),
    ...(isCrossTenant && { cross_tenant: true }),
  })
  const columns = {
    _id: createId(),
    organization_id,
    category,
    event_type,
    status,
    actor_type: event.actor_type === undefined ? actorType(actor_id, caller) : event.actor_type,
    actor_id,
    case_id: event.case_id ?? null,
    request_id: id,
    conversation_id: event.conversation_id ?? null,
    channel_id: event.channel_id ?? null,
    thread_id: event.thread_id ?? null,
  }
  const document = { ...columns, metadata } satisfies Schema<'AuditEvent'>
  return {
    ...columns,
    metadata: JSON.stringify(metadata),
    beginning: JSON.stringify(document).slice(0, -1),
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
