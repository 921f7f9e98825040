import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Database } from '../database/schema.js'
import { requireRoom } from '../usage/room.js'
import { movedBy, nextOf } from './clock.js'
import { deviationsWith } from './deviations.js'
import { noFailure } from './lifecycle.js'
import { type LockedSession, type SessionChange, updateSession } from './queries.js'
import { sessionEvent } from './session-events.js'
import { type Stage, start } from './start.js'

type Trx = Transaction<Database>
type Request = Pick<FastifyRequest, 'id' | 'caller'>
type Reason = string | null | undefined

/** Stops the clock of a running session: one row, however long its plan is. */
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

/** Lets the clock go on where it stood. */
export async function resume(
  trx: Trx,
  request: Request,
  session: LockedSession,
  reason: Reason,
): Promise<void> {
  await updateSession(trx, session, goingOn(session))
  await record(trx, request, session, 'session_resumed', reason)
}

/** Starts a session that has failed before its start; else lets its clock go on where it stood. */
export async function retry(
  trx: Trx,
  stage: Stage,
  request: Request,
  session: LockedSession,
  reason: Reason,
): Promise<void> {
  await record(trx, request, session, 'session_retried', reason)
  if (session.started_at === null) return start(trx, stage, request, session, { reason })
  await requireRoom(trx, session.organization_id, 'sessions_running')
  const deviations = deviationsWith(session, 'clock_shifted', stoodMs(session))
  await updateSession(trx, session, { ...goingOn(session), deviations })
}

/** The instant at which the clock was at zero moves by as long as the clock stood still. */
function goingOn(session: LockedSession): SessionChange {
  const anchor_at = movedBy(session.anchor_at ?? session.now, stoodMs(session))
  const next = nextOf({ ...session, anchor_at }, session.next_offset_ms)
  return { status: 'running', anchor_at, paused_at: null, ...next, ...noFailure }
}

const stoodMs = ({ now, paused_at }: LockedSession) =>
  Date.parse(now) - Date.parse(paused_at ?? now)

/** Ends a session before its time. The clock of one that paused or failed stays where it stood. */
export async function end(
  trx: Trx,
  request: Request,
  session: LockedSession,
  { status, reason }: { status: 'completed' | 'cancelled'; reason: Reason },
): Promise<void> {
  await updateSession(trx, session, {
    status,
    ended_at: session.now,
    next_due_at: null,
    next_offset_ms: null,
  })
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
