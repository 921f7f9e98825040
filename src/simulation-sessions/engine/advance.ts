import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../../audit-events/record.js'
import type { Trx } from '../../database/schema.js'
import { dueAt, elapsedMs, movedBy, nextOf } from '../clock/clock.js'
import { deviationsWith } from '../deviations.js'
import type { RunningSession } from '../lifecycle.js'
import { selectDueEntries } from '../plan/queries.js'
import { updateProgress } from '../progress-queries.js'
import type { LockedSession, SessionChange } from '../queries.js'
import { messageEvent, sessionEvent } from '../session-events.js'
import { bytesOf } from '../stored-bytes.js'
import { completionOf } from './completion.js'
import { recordDecisions } from './due-decisions.js'
import { type DueLine, decideLines, isPosted } from './due-lines.js'
import { updatePosition } from './due-queries.js'
import { messagesOf } from './line-messages.js'
import { insertMessages, type StoredMessage } from './message-queries.js'

/** If the next line is later than this, the clock is set back by the delay. */
const maxLateMs = 60_000

const maxBatchLines = 200

/** Keeps a transaction under a fifth of a second. */
const maxBatchCharacters = 1024 * 1024

/**
 * Posts a batch of the due lines of a session, and ends the session if its clock has reached the end.
 * After an outage the clock is set back first, so that lines keep their distance: neither a burst nor
 * a gap. Returns whether more lines are due.
 */
export async function advance(
  trx: Trx,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  locked: RunningSession,
): Promise<boolean> {
  const shift_ms = latenessOf(locked)
  const session = { ...locked, anchor_at: movedBy(locked.anchor_at, shift_ms) }
  const elapsed = elapsedMs(session, session.now) ?? 0
  const until = Math.min(elapsed, session.end_offset_ms ?? elapsed)
  const { organization_id, _id: session_id, next_position } = session
  const from = { organization_id, session_id, next_position }
  const found = await selectDueEntries(trx, { ...from, until, limit: maxBatchLines + 1 })
  const due = batchOf(found.filter(({ offset_ms }) => offset_ms <= until))
  const next = found[due.length]
  const isMoreDue = next !== undefined && next.offset_ms <= until
  const isOver = session.end_offset_ms === until && !isMoreDue

  const lines = await decideLines(trx, session, due)
  const messages = messagesOf(session, lines)
  await insertMessages(trx, messages)
  const decisionEvents = await recordDecisions(trx, session, lines, messages)
  const progress = progressOf(session, due.length, lines, messages)
  const position = { ...progress, ...nextOf(session, next?.offset_ms ?? null) }
  const completion = isOver ? await completionOf(trx, session) : null
  if (shift_ms === 0 && !completion) {
    await updatePosition(trx, {
      organization_id,
      _id: session_id,
      latest_at: session.now,
      ...position,
    })
  } else {
    const shift = shift_ms > 0 ? shiftOf(session, shift_ms) : {}
    await updateProgress(trx, session, { ...position, ...shift, ...completion?.change })
  }
  await recordAuditEvents(trx, request, [
    ...(shift_ms > 0 ? [shiftEvent(session, shift_ms)] : []),
    ...lines.map((line) => lineEvent(session, line)),
    ...decisionEvents,
    ...(completion?.events ?? []),
  ])
  return isMoreDue
}

/** Returns the first lines that fit into a batch, and at least one. */
function batchOf<Line extends { content: string }>(lines: Line[]): Line[] {
  let characters = 0
  return lines.slice(0, maxBatchLines).filter(({ content }, i) => {
    characters += content.length
    return i === 0 || characters <= maxBatchCharacters
  })
}

/** By how much the clock is set back. Not at all if only the end is due: no line follows it. */
function latenessOf(session: LockedSession): number {
  const due_at = dueAt(session)
  if (due_at === null || session.next_offset_ms === session.end_offset_ms) return 0
  const late = Date.parse(session.now) - Date.parse(due_at)
  return late > maxLateMs ? late : 0
}

function shiftOf(session: RunningSession, shift_ms: number): SessionChange {
  const deviations = deviationsWith(session, 'clock_shifted', { shift_ms })
  return { anchor_at: session.anchor_at, deviations }
}

const shiftEvent = (session: RunningSession, shift_ms: number) =>
  sessionEvent(session, 'session_clock_shifted', { actor_type: 'system', metadata: { shift_ms } })

/** `due` lines of the plan are done. Some of them may have been posted before, with their decision. */
function progressOf(
  session: RunningSession,
  due: number,
  lines: DueLine[],
  messages: StoredMessage[],
) {
  const posted = lines.filter(isPosted).length
  return {
    last_seq: session.last_seq + posted,
    stored_bytes: session.stored_bytes + bytesOf(messages),
    next_position: session.next_position + due,
    failures: 0,
    posted: session.posted + posted,
    withheld: session.withheld + lines.length - posted,
  }
}

function lineEvent(session: RunningSession, { entry, _id, thread_id, withheld }: DueLine) {
  const { conversation_id, channel_id, position } = entry
  const type = withheld ? 'message_withheld' : 'message_delivered'
  const message = { _id, conversation_id, channel_id, thread_id }
  const metadata = { position, ...(withheld && { reason: withheld }) }
  return messageEvent(session, type, message, { actor_type: 'system', metadata })
}
