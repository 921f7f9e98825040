import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import type { Schema } from '../contract.js'
import { batchesOf } from '../database/batches.js'
import type { Trx } from '../database/schema.js'
import { createId } from '../formats/identifiers.js'
import { jsonLine } from '../process/json-line.js'
import { withoutLongValues } from './long-values.js'
import { insertAuditEvents, type NewEventRow } from './record-queries.js'

type Changes = Record<string, { from: unknown; to: unknown }>
type Request = Pick<FastifyRequest, 'id' | 'caller'>

/** The ids of what an event is about. `listAuditEvents` can filter by each. */
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
  /** The acting user, by default the caller. Set where the request has no caller, as at registration. */
  actor_id?: string
  /** Set if the actor is the service itself. Null if the service cannot know the type. */
  actor_type?: 'system' | null
  changes?: Changes
  metadata?: Record<string, unknown>
}

/** Events of one statement. More events take several, so that other requests can run in between. */
export const recordBatchSize = 100

/**
 * Records events in the transaction of the change that they describe. Callers never catch its errors:
 * either both the change and its events are stored, or neither. Returns the `_id` of each event.
 * Takes the events from the iterable batch by batch.
 */
export async function recordAuditEvents(
  trx: Trx,
  request: Request,
  events: Iterable<AuditEvent>,
): Promise<string[]> {
  const ids: string[] = []
  for (const rows of batchesOf(rowsOf(request, events), recordBatchSize)) {
    await insertAuditEvents(trx, rows)
    for (const { _id } of rows) ids.push(_id)
  }
  return ids
}

function* rowsOf(request: Request, events: Iterable<AuditEvent>): Generator<NewEventRow> {
  for (const event of events) yield auditEventRow(request, event)
}

/** The row of an event, with its actor and its request. */
function auditEventRow({ id, caller }: Request, event: AuditEvent): NewEventRow {
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
    beginning: jsonLine(document).slice(0, -1),
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
