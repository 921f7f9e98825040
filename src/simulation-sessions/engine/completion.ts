import type { FastifyRequest } from 'fastify'
import { type AuditEvent, recordAuditEvents } from '../../audit-events/record.js'
import { laterThan } from '../../database/expressions.js'
import type { Trx } from '../../database/schema.js'
import { elapsedMs, reachedAt } from '../clock/clock.js'
import { lapseAtEnd } from '../decisions/lapse.js'
import type { RunningSession } from '../lifecycle.js'
import { deletePlan } from '../plan/queries.js'
import { updateProgress } from '../progress-queries.js'
import type { SessionChange } from '../queries.js'
import { closeSeats } from '../seats.js'
import { sessionEvent } from '../session-events.js'

interface Completion {
  change: SessionChange
  events: AuditEvent[]
}

/**
 * Lets open decisions lapse, closes the seats, and deletes the plan. Returns the change that ends the
 * session, and the events. The session ended when its clock reached the end, even if the engine sees it
 * later.
 */
export async function completionOf(trx: Trx, session: RunningSession): Promise<Completion> {
  const { anchor_at, speed, end_offset_ms, now, updated_at } = session
  const ended_at = end_offset_ms === null ? now : reachedAt(anchor_at, end_offset_ms, speed)
  const bySystem = { actor_type: 'system' } as const
  const at = { ended_at, elapsed_ms: end_offset_ms }
  const { lapsed_beats, events } = await lapseAtEnd(trx, session, at, bySystem)
  await closeSeats(trx, session)
  await deletePlan(trx, session)
  const change: SessionChange = {
    status: 'completed',
    ended_at,
    next_due_at: null,
    next_offset_ms: null,
    lapsed_beats,
    plan_bytes: 0,
    updated_at: laterThan(updated_at),
  }
  return { change, events: [...events, sessionEvent(session, 'session_completed', bySystem)] }
}

/** Ends a session if its clock has reached the end. Posts nothing. Returns whether it ended. */
export async function completeIfOver(
  trx: Trx,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  session: RunningSession,
): Promise<boolean> {
  const elapsed = elapsedMs(session, session.now) ?? 0
  if (session.end_offset_ms === null || elapsed < session.end_offset_ms) return false
  const { change, events } = await completionOf(trx, session)
  await updateProgress(trx, session, change)
  await recordAuditEvents(trx, request, events)
  return true
}
