import type { OperationId, Schema } from '../contract.js'
import { invalidStatusTransition } from '../errors.js'
import type { LockedSession } from './queries.js'

type Status = Schema<'SessionStatus'>
type Stage = Pick<LockedSession, 'status' | 'started_at'>

const following: Record<Status, readonly Status[]> = {
  draft: ['scheduled', 'running', 'cancelled'],
  scheduled: ['running', 'cancelled'],
  running: ['paused', 'completed', 'cancelled'],
  paused: ['running', 'completed', 'cancelled'],
  failed: ['running', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
}

/** The operation by which a session of a status runs. */
const toRunning: Partial<Record<Status, OperationId>> = {
  draft: 'startSession',
  scheduled: 'startSession',
  paused: 'resumeSession',
  failed: 'retrySession',
}

/**
 * Throws 409, with what else can follow, where a status cannot follow the present one; `from` are
 * those in which the operation makes sense, where another one leads there as well.
 */
export function requireTransition(
  { status: present, started_at }: Stage,
  wanted: Status,
  from: readonly Status[] = [present],
): void {
  const allowed = following[present].filter(
    // What never started cannot be completed.
    (status) => status !== 'completed' || started_at !== null,
  )
  if (from.includes(present) && allowed.includes(wanted)) return
  const others = allowed.filter((status) => status !== wanted)
  const operation = wanted === 'running' ? toRunning[present] : undefined
  throw invalidStatusTransition(present, wanted, others, operation)
}

export const hasEnded = (status: Status) => following[status].length === 0

/** Whether it has not started yet, and nothing speaks against that. */
export const isWaiting = ({ status }: Stage) => status === 'draft' || status === 'scheduled'

/** What has failed has started only if it failed after that. */
export const hasStarted = ({ status, started_at }: Stage) =>
  status === 'failed' ? started_at !== null : !isWaiting({ status, started_at })

/** Whether it can still start: it waits, or it failed before its start. */
export const canStart = (stage: Stage) => !hasStarted(stage) && !hasEnded(stage.status)

/** Of a session that is to go on, as if it had never failed. */
export const noFailure = { failures: 0, failure: null }

/** A running session, whose clock has an anchor. */
export type RunningSession = LockedSession & { anchor_at: string }

export const isRunning = (session: LockedSession): session is RunningSession =>
  session.status === 'running' && session.anchor_at !== null

/** Whether there is something to be done in a session now. */
export const isDue = ({ next_due_at, now }: LockedSession) =>
  next_due_at !== null && next_due_at <= now
