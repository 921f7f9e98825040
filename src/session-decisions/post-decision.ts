import type { AuditEvent } from '../audit-events/record.js'
import type { Trx } from '../database/schema.js'
import { endDecision, type StoredDecision } from '../simulation-sessions/decisions/queries.js'
import { messagesOf } from '../simulation-sessions/engine/line-messages.js'
import {
  insertMessages,
  type StoredMessage,
} from '../simulation-sessions/engine/message-queries.js'
import { updateProgress } from '../simulation-sessions/progress-queries.js'
import type { LockedSession } from '../simulation-sessions/queries.js'
import { messageEvent } from '../simulation-sessions/session-events.js'
import { bytesOf } from '../simulation-sessions/stored-bytes.js'
import type { SessionPart } from '../simulation-sessions/team/part-queries.js'
import { updatePlace } from '../simulation-sessions/team/participant-queries.js'
import { acknowledgementsOf, type MadeChoice, messageFor } from './decision-messages.js'

/**
 * Ends an open decision of a locked session: posts who decided what in the thread that asks, then the
 * acknowledgements of the characters. Returns the decision and the audit events.
 */
export async function postDecision(
  trx: Trx,
  session: LockedSession,
  { place }: SessionPart,
  decisions: StoredDecision[],
  decision: StoredDecision,
  choice: MadeChoice,
) {
  const message = await messageFor(trx, session, decision, choice)
  const { option } = choice
  const lines = await acknowledgementsOf(trx, session, decisions, { ...decision, option })
  const replies = messagesOf({ ...session, last_seq: message.seq }, lines)
  const { offset_ms } = message
  const messages = [message, ...replies.map((one) => ({ ...one, offset_ms }))]
  await insertMessages(trx, messages)
  const last_seq = message.seq + replies.length
  const posted = session.posted + replies.length
  const stored_bytes = session.stored_bytes + bytesOf(messages)
  await updateProgress(trx, session, { last_seq, posted, stored_bytes })
  if (place && !message.injected) {
    await updatePlace(trx, place, { last_spoke_at: message.posted_at })
  }
  const { beat } = decision
  const ended = await endDecision(trx, message, beat, {
    status: 'decided',
    option,
    made_by: choice.user_id,
    on_behalf: choice.on_behalf,
    reason: choice.reason ?? null,
    ended_at: message.posted_at,
    ended_offset_ms: offset_ms,
    ended_seq: message.seq,
  })
  return { session, decision: ended, events: eventsOf(session, message, replies) }
}

function eventsOf(
  session: LockedSession,
  message: StoredMessage,
  replies: StoredMessage[],
): AuditEvent[] {
  const { seq, injected, sender_id: as_character_id } = message
  const { made_by, status, ...made } = message.decides ?? {}
  const metadata = { seq, ...made, ...(injected && { as_character_id }) }
  return [
    messageEvent(session, 'decision_made', message, { metadata }),
    ...replies.map((one) => {
      const details = { actor_type: 'system', metadata: { position: one.plan_position } } as const
      return messageEvent(session, 'message_delivered', one, details)
    }),
  ]
}
