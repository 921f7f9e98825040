import type { OperationId, Schema } from '../contract.js'
import { invalidStatusTransition } from '../errors.js'
import { hourMs } from '../process/clock.js'
import type { LockedSession } from './queries.js'

type Status = Schema<'SessionStatus'>
type Progress = Pick<LockedSession, 'status' | 'started_at'>

const nextStatuses: Record<Status, readonly Status[]> = {
  draft: ['scheduled', 'running', 'cancelled'],
  scheduled: ['draft', 'running', 'cancelled'],
  running: ['paused', 'completed', 'cancelled'],
  paused: ['running', 'completed', 'cancelled'],
  failed: ['running', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
}

/** The operation that makes a session run, by its status. */
const operationToRun: Partial<Record<Status, OperationId>> = {
  draft: 'startSession',
  scheduled: 'startSession',
  paused: 'resumeSession',
  failed: 'retrySession',
}

/**
 * Throws 409 if a session cannot get the wanted status now. The error lists the statuses that it can
 * get. `from` names the statuses that the operation accepts, if other operations lead to the wanted
 * status too.
 */
export function requireTransition(
  { status: present, started_at }: Progress,
  wanted: Status,
  from: readonly Status[] = [present],
): void {
  const allowed = nextStatuses[present].filter(
    // A session that never started cannot be completed.
    (status) => status !== 'completed' || started_at !== null,
  )
  if (from.includes(present) && allowed.includes(wanted)) return
  const others = allowed.filter((status) => status !== wanted)
  const operation = wanted === 'running' ? operationToRun[present] : undefined
  throw invalidStatusTransition(present, wanted, others, operation)
}

/** How long people can still exchange private words, and use their seats, after the end of a session. */
export const openAfterEndMs = hourMs

export const hasEnded = (status: Status) => nextStatuses[status].length === 0

/** Whether a session is still to start. False for one that failed before its start. */
export const isWaiting = ({ status }: Progress) => status === 'draft' || status === 'scheduled'

/** A failed session has started only if it failed after its start. */
export const hasStarted = ({ status, started_at }: Progress) =>
  status === 'failed' ? started_at !== null : !isWaiting({ status, started_at })

/** Whether a session can still start: it waits, or it failed before its start. */
export const canStart = (session: Progress) => !hasStarted(session) && !hasEnded(session.status)

/** Clears the failure of a session that starts or runs on. */
export const noFailure = { failures: 0, failure: null }

export type RunningSession = LockedSession & { anchor_at: string }

export const isRunning = (session: LockedSession): session is RunningSession =>
  session.status === 'running' && session.anchor_at !== null

/** Whether the engine has work in a session now: a start, a line or the end. */
export const isDue = ({ next_due_at, now }: LockedSession) =>
  next_due_at !== null && next_due_at <= now
