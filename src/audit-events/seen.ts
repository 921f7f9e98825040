import type { Schema } from '../contract.js'
import type { Fault } from '../errors.js'
import { inUtc } from '../timestamps.js'
import { isReserved } from './catalogue.js'
import type { AuditEvent } from './record.js'

type NewAuditEvent = Schema<'NewAuditEvent'>

/** What the service itself says in the metadata of an event that a client saw. */
const reserved = ['recorded_by', 'occurred_at', 'cross_tenant']

/** What a client's event takes upon itself that only the service may say. */
export function faultsOf({ category, metadata }: NewAuditEvent, loc: string[]): Fault[] {
  const refuse = (place: string[]): Fault => ({
    loc: [...loc, ...place],
    msg: 'Value error, is for the service to say',
    type: 'value_error',
  })
  const names = reserved.filter((name) => Object.hasOwn(metadata ?? {}, name))
  return [
    ...(isReserved(category) ? [refuse(['category'])] : []),
    ...names.map((name) => refuse(['metadata', name])),
  ]
}

/** Events as a client saw them, each prepared when it is asked for. */
export function* seenEvents(
  organization_id: string,
  events: NewAuditEvent[],
  recorded_by: string,
): Generator<AuditEvent> {
  for (const event of events) yield { organization_id, ...seenEvent(event, recorded_by) }
}

/** An event as a client saw it. Of an actor who is somebody else the service cannot know the type. */
function seenEvent(
  { actor_id, occurred_at, status, metadata, ...event }: NewAuditEvent,
  recorded_by: string,
): Omit<AuditEvent, 'organization_id'> {
  const isOther = actor_id && actor_id !== recorded_by
  return {
    ...event,
    status: status ?? 'info',
    metadata: {
      ...metadata,
      recorded_by,
      ...(occurred_at && { occurred_at: inUtc(occurred_at) }),
    },
    ...(isOther && { actor_id, actor_type: null }),
  }
}
