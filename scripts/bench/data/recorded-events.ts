import type { AuditEvent } from '../../../src/audit-events/record.js'
import { eventKinds } from './event-kinds.js'

/** Events as they are generated: those of a simulation are about something. */
export function* eventsOf(organization_ids: string[]): Generator<AuditEvent> {
  const kinds = eventKinds.flatMap(([share, ...kind]) =>
    Array.from({ length: Math.round(share / 100) }, () => kind),
  )
  for (let number = 0; ; number++) {
    // By a prime, so that kinds and organizations follow one another in no order.
    const [category, event_type, status] = kinds[(number * 7_919) % kinds.length] ?? ['', '', '']
    yield {
      organization_id: organization_ids[number % organization_ids.length] ?? '',
      category,
      event_type,
      status,
      actor_id: `actor-${number % 600}`,
      metadata: { attempt: number % 3 },
      ...(category === 'simulation' && referencesOf(number)),
    }
  }
}

const referencesOf = (number: number) => ({
  case_id: `case-${Math.floor(number / 10_000)}`,
  conversation_id: `conversation-${Math.floor(number / 400)}`,
  channel_id: `channel-${Math.floor(number / 20) % 8}`,
  thread_id: `thread-${Math.floor(number / 20)}`,
})
