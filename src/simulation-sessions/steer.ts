import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Database } from '../database/schema.js'
import { movedBy, nextOf } from './clock.js'
import { type LockedSession, updateSession } from './queries.js'
import { sessionEvent } from './session-events.js'

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

/** Lets the clock go on where it stood, by moving the instant at which it was at zero. */
export async function resume(
  trx: Trx,
  request: Request,
  session: LockedSession,
  reason: Reason,
): Promise<void> {
  const { now, paused_at, next_offset_ms } = session
  const stood = Date.parse(now) - Date.parse(paused_at ?? now)
  const anchor_at = movedBy(session.anchor_at ?? now, stood)
  const next = nextOf({ ...session, anchor_at }, next_offset_ms)
  await updateSession(trx, session, { status: 'running', anchor_at, paused_at: null, ...next })
  await record(trx, request, session, 'session_resumed', reason)
}

/** Ends a session before its time. The clock of one that paused stays where it stood. */
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
