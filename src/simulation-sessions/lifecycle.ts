import type { Schema } from '../contract.js'
import { invalidStatusTransition } from '../errors.js'
import type { LockedSession } from './queries.js'

type Status = Schema<'SessionStatus'>

const following: Record<Status, readonly Status[]> = {
  draft: ['scheduled', 'running', 'cancelled'],
  scheduled: ['running', 'cancelled'],
  running: ['paused', 'completed', 'cancelled'],
  paused: ['running', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
}

/**
 * Throws 409, with what else can follow, where a status cannot follow the present one; `from` are
 * those in which the operation makes sense, where another one leads there as well.
 */
export function requireTransition(
  present: Status,
  wanted: Status,
  from: readonly Status[] = [present],
): void {
  const allowed = following[present]
  if (from.includes(present) && allowed.includes(wanted)) return
  const others = allowed.filter((status) => status !== wanted)
  throw invalidStatusTransition(present, wanted, others)
}

export const hasEnded = (status: Status) => following[status].length === 0
export const hasStarted = (status: Status) => status !== 'draft' && status !== 'scheduled'

/** A running session, whose clock has an anchor. */
export type RunningSession = LockedSession & { anchor_at: string }

export const isRunning = (session: LockedSession): session is RunningSession =>
  session.status === 'running' && session.anchor_at !== null

/** Whether there is something to be done in a session now. */
export const isDue = ({ next_due_at, now }: LockedSession) =>
  next_due_at !== null && next_due_at <= now
