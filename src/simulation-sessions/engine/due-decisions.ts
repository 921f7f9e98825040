import type { AuditEvent } from '../../audit-events/record.js'
import type { Trx } from '../../database/schema.js'
import { minuteMs } from '../../process/clock.js'
import { endDecision, insertDecision } from '../decisions/queries.js'
import type { LockedSession } from '../queries.js'
import { messageEvent } from '../session-events.js'
import { type DueLine, isPosted } from './due-lines.js'
import type { StoredMessage } from './message-queries.js'

const bySystem = { actor_type: 'system' } as const

/** Stores the decisions that posted lines ask for or let lapse. Returns the audit events. */
export async function recordDecisions(
  trx: Trx,
  session: LockedSession,
  lines: DueLine[],
  messages: StoredMessage[],
): Promise<AuditEvent[]> {
  const events: AuditEvent[] = []
  for (const line of lines) {
    const beat = await insertAsked(trx, session, line)
    if (beat === null) continue
    const message = { ...line.entry, _id: line._id, thread_id: line.thread_id }
    const details = { ...bySystem, metadata: { beat } }
    events.push(messageEvent(session, 'decision_asked', message, details))
  }
  for (const message of messages) {
    const { decides, posted_at: ended_at, offset_ms: ended_offset_ms, seq: ended_seq } = message
    if (!decides) continue
    const { beat, status, option } = decides
    await endDecision(trx, message, beat, { status, option, ended_at, ended_offset_ms, ended_seq })
    const details = { ...bySystem, metadata: { beat, option } }
    events.push(messageEvent(session, 'decision_lapsed', message, details))
  }
  return events
}

/** Stores the decision that a posted line asks for. Returns its beat; null if there is none. */
async function insertAsked(
  trx: Trx,
  session: LockedSession,
  line: DueLine,
): Promise<string | null> {
  const { _id: message_id, entry } = line
  const { organization_id, session_id, conversation_id, fallback_option, offset_ms } = entry
  const asked = entry.expectation?.decision
  if (!isPosted(line) || !asked || fallback_option === null) return null
  const minutes = entry.expectation?.deadline_minutes ?? 0
  await insertDecision(trx, {
    organization_id,
    session_id,
    ...asked,
    message_id,
    conversation_id,
    fallback_option,
    asked_at: session.now,
    asked_offset_ms: offset_ms,
    deadline_offset_ms: offset_ms + Math.round(minutes * minuteMs),
  })
  return asked.beat
}
