import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../../audit-events/record.js'
import type { Trx } from '../../database/schema.js'
import { requireWithinLimit } from '../../usage/require-limits.js'
import { elapsedMs, movedBy, nextOf } from '../clock/clock.js'
import { lapseAtEnd } from '../decisions/lapse.js'
import { deviationsWith } from '../deviations.js'
import { noFailure } from '../lifecycle.js'
import { deletePlan } from '../plan/queries.js'
import { type LockedSession, type SessionChange, updateSession } from '../queries.js'
import { closeSeats } from '../seats.js'
import { sessionEvent } from '../session-events.js'
import { type StartDependencies, start } from '../start/start.js'

type Request = Pick<FastifyRequest, 'id' | 'caller'>
type Reason = string | null | undefined

/** Stops the clock of a running session. Changes one row only, however long the plan is. */
export async function pause(
  trx: Trx,
  request: Request,
  session: LockedSession,
  reason: Reason,
): Promise<void> {
  const change = { status: 'paused', paused_at: session.now, next_due_at: null } as const
  await updateSession(trx, session, change)
  await record(trx, request, session, 'session_paused', reason)
}

/** Lets the clock of a paused session run on. */
export async function resume(
  trx: Trx,
  request: Request,
  session: LockedSession,
  reason: Reason,
): Promise<void> {
  await updateSession(trx, session, continuation(session))
  await record(trx, request, session, 'session_resumed', reason)
}

/** Starts a session that failed before its start. Otherwise lets its clock run on. */
export async function retry(
  trx: Trx,
  dependencies: StartDependencies,
  request: Request,
  session: LockedSession,
  reason: Reason,
): Promise<void> {
  await record(trx, request, session, 'session_retried', reason)
  if (session.started_at === null) return start(trx, dependencies, request, session, { reason })
  await requireWithinLimit(
    trx,
    dependencies.usage.defaults,
    session.organization_id,
    'sessions_running',
  )
  const shift_ms = stoppedMs(session)
  const deviations = deviationsWith(session, 'clock_shifted', { shift_ms })
  await updateSession(trx, session, { ...continuation(session), deviations })
}

/** Moves the anchor of the clock by the time that the clock stood still. */
function continuation(session: LockedSession): SessionChange {
  const anchor_at = movedBy(session.anchor_at ?? session.now, stoppedMs(session))
  const next = nextOf({ ...session, anchor_at }, session.next_offset_ms)
  return { status: 'running', anchor_at, paused_at: null, ...next, ...noFailure }
}

const stoppedMs = ({ now, paused_at }: LockedSession) =>
  Date.parse(now) - Date.parse(paused_at ?? now)

/**
 * Ends a session early, lets its open decisions lapse, closes its seats, and deletes its plan. The clock of
 * a paused or failed session stays where it stopped.
 */
export async function end(
  trx: Trx,
  request: Request,
  session: LockedSession,
  { status, reason }: { status: 'completed' | 'cancelled'; reason: Reason },
): Promise<void> {
  const at = { ended_at: session.now, elapsed_ms: elapsedMs(session, session.now) }
  const { lapsed_beats, events } = await lapseAtEnd(trx, session, at)
  await updateSession(trx, session, {
    status,
    ended_at: session.now,
    next_due_at: null,
    next_offset_ms: null,
    lapsed_beats,
    plan_bytes: 0,
  })
  await closeSeats(trx, session)
  await deletePlan(trx, session)
  await recordAuditEvents(trx, request, events)
  await record(trx, request, session, `session_${status}`, reason)
}

async function record(
  trx: Trx,
  request: Request,
  session: LockedSession,
  event_type: string,
  reason: Reason,
): Promise<void> {
  const metadata = reason ? { reason } : {}
  await recordAuditEvents(trx, request, [sessionEvent(session, event_type, { metadata })])
}
