import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Database } from '../database/schema.js'
import { dueAt, elapsedMs, movedBy, nextOf } from './clock.js'
import { completionEvent, completionOf } from './completion.js'
import { deviationsWith } from './deviations.js'
import { type DueLine, decideLines, messagesOf } from './due-lines.js'
import { updatePosition } from './due-queries.js'
import type { RunningSession } from './lifecycle.js'
import { insertMessages } from './message-queries.js'
import { selectDueEntries } from './plan-queries.js'
import { type LockedSession, type SessionChange, updateProgress } from './queries.js'
import { messageEvent, sessionEvent } from './session-events.js'

/** How late something may be posted before the clock is set back by as much. */
const mostLateMs = 60_000

/** How many lines are dealt with at a time. */
const linesAtOnce = 200

/** How long these lines are together, at most: a transaction of a fifth of a second at the longest. */
const charactersAtOnce = 1024 * 1024

/**
 * Posts what is due in a session by now, and ends it where its end has come. After an outage its clock
 * is set back first, so that what follows keeps its distance: neither a burst nor a gap. Returns
 * whether something is still due.
 */
export async function advance(
  trx: Transaction<Database>,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  locked: RunningSession,
): Promise<boolean> {
  const shift_ms = latenessOf(locked)
  const session = { ...locked, anchor_at: movedBy(locked.anchor_at, shift_ms) }
  const elapsed = elapsedMs(session, session.now) ?? 0
  const until = Math.min(elapsed, session.end_offset_ms ?? elapsed)
  const { organization_id, _id: session_id, next_position } = session
  const place = { organization_id, session_id, next_position }
  const found = await selectDueEntries(trx, { ...place, until, limit: linesAtOnce + 1 })
  const due = firstOf(found.filter(({ offset_ms }) => offset_ms <= until))
  const next = found[due.length]
  const isMoreDue = next !== undefined && next.offset_ms <= until
  const isOver = session.end_offset_ms === until && !isMoreDue

  const lines = await decideLines(trx, session, due)
  await insertMessages(trx, messagesOf(session, lines))
  const position = { ...positionOf(session, lines), ...nextOf(session, next?.offset_ms ?? null) }
  if (shift_ms === 0 && !isOver) {
    await updatePosition(trx, { organization_id, _id: session_id, ...position })
  } else {
    const shift = shift_ms > 0 ? shiftOf(session, shift_ms) : {}
    const completion = isOver ? completionOf(session) : {}
    await updateProgress(trx, session, { ...position, ...shift, ...completion })
  }
  await recordAuditEvents(trx, request, [
    ...(shift_ms > 0 ? [shiftEvent(session, shift_ms)] : []),
    ...lines.map((line) => lineEvent(session, line)),
    ...(isOver ? [completionEvent(session)] : []),
  ])
  return isMoreDue
}

/** As many lines as are dealt with at a time, and at least one. */
function firstOf<Line extends { content: string }>(lines: Line[]): Line[] {
  let characters = 0
  return lines.slice(0, linesAtOnce).filter(({ content }, i) => {
    characters += content.length
    return i === 0 || characters <= charactersAtOnce
  })
}

/** By how much the clock has to be set back. The end alone keeps no distance to anything. */
function latenessOf(session: LockedSession): number {
  const due_at = dueAt(session)
  if (due_at === null || session.next_offset_ms === session.end_offset_ms) return 0
  const late = Date.parse(session.now) - Date.parse(due_at)
  return late > mostLateMs ? late : 0
}

function shiftOf(session: RunningSession, shift_ms: number): SessionChange {
  const deviations = deviationsWith(session, 'clock_shifted', shift_ms)
  return { anchor_at: session.anchor_at, deviations }
}

const shiftEvent = (session: RunningSession, shift_ms: number) =>
  sessionEvent(session, 'session_clock_shifted', { actor_type: 'system', metadata: { shift_ms } })

function positionOf({ last_seq, next_position, withheld }: RunningSession, lines: DueLine[]) {
  const kept = lines.filter(({ isWithheld }) => isWithheld).length
  return {
    last_seq: last_seq + lines.length - kept,
    next_position: next_position + lines.length,
    failures: 0,
    withheld: withheld + kept,
  }
}

function lineEvent(session: RunningSession, { entry, _id, thread_id, isWithheld }: DueLine) {
  const { conversation_id, channel_id, position } = entry
  const type = isWithheld ? 'message_withheld' : 'message_delivered'
  const said = { _id, conversation_id, channel_id, thread_id }
  return messageEvent(session, type, said, { actor_type: 'system', metadata: { position } })
}
