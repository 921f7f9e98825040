import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../../audit-events/record.js'
import { laterThan } from '../../database/expressions.js'
import type { Trx } from '../../database/schema.js'
import { elapsedMs, reachedAt } from '../clock.js'
import type { RunningSession } from '../lifecycle.js'
import { type SessionChange, updateProgress } from '../queries.js'
import { sessionEvent } from '../session-events.js'

/** The session ended when its clock reached the end, even if the engine sees it later. */
export function completionOf(session: RunningSession): SessionChange {
  const { anchor_at, speed, end_offset_ms, now, updated_at } = session
  return {
    status: 'completed',
    ended_at: end_offset_ms === null ? now : reachedAt(anchor_at, end_offset_ms, speed),
    next_due_at: null,
    next_offset_ms: null,
    updated_at: laterThan(updated_at),
  }
}

export const completionEvent = (session: RunningSession) =>
  sessionEvent(session, 'session_completed', { actor_type: 'system' })

/** Ends a session if its clock has reached the end. Posts nothing. Returns whether it ended. */
export async function completeIfOver(
  trx: Trx,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  session: RunningSession,
): Promise<boolean> {
  const elapsed = elapsedMs(session, session.now) ?? 0
  if (session.end_offset_ms === null || elapsed < session.end_offset_ms) return false
  await updateProgress(trx, session, completionOf(session))
  await recordAuditEvents(trx, request, [completionEvent(session)])
  return true
}
