import type { Schema } from '../contract.js'
import { type Fault, valueFault } from '../faults.js'
import { inUtc } from '../formats/timestamps.js'
import { isReserved } from './catalogue.js'
import type { AuditEvent } from './record.js'

type NewAuditEvent = Schema<'NewAuditEvent'>

/** The metadata that only the service sets in a client's event. */
const reservedNames = ['recorded_by', 'occurred_at', 'cross_tenant']

/** The faults of a client's event: a category or metadata that only the service may set. */
export function faultsOf({ category, metadata }: NewAuditEvent, loc: string[]): Fault[] {
  const refuse = (field: string[]) =>
    valueFault([...loc, ...field], 'reserved', 'can only be set by the service')
  const names = reservedNames.filter((name) => Object.hasOwn(metadata ?? {}, name))
  return [
    ...(isReserved(category) ? [refuse(['category'])] : []),
    ...names.map((name) => refuse(['metadata', name])),
  ]
}

/** The audit events of a client, each prepared when it is needed. */
export function* clientEvents(
  organization_id: string,
  events: NewAuditEvent[],
  recorded_by: string,
): Generator<AuditEvent> {
  for (const event of events) yield { organization_id, ...clientEvent(event, recorded_by) }
}

/** A client's event. If its actor is not the caller, the service cannot know the actor's type. */
function clientEvent(
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
