import {
  experimentHasRun,
  experimentNotDraft,
  experimentNotRun,
  invalidStatusTransition,
  planLocked,
} from '../errors.js'

/** The statuses that the service knows. Any other text is the client's own label. */
const statuses = ['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled', 'archived']
const beforeRun = new Set(['draft', 'scheduled'])
const meansHasRun = new Set(['running', 'paused', 'completed'])
const ended = new Set(['completed', 'cancelled', 'archived'])

export interface ExperimentState {
  status: string
  /** Whether it has ever run. The status alone does not show it: it may be a label by now. */
  has_run: boolean
}

/**
 * The state after a change of status. An experiment that has ended can only be archived. One that
 * has run cannot go back to a status before its run. Throws 409 for such a change.
 */
export function nextState(state: ExperimentState, status: string): ExperimentState {
  if (status !== state.status && !isAllowed(state, status)) {
    const allowed = statuses.filter((known) => isAllowed(state, known))
    throw invalidStatusTransition(state.status, status, allowed)
  }
  return { status, has_run: state.has_run || meansHasRun.has(status) }
}

function isAllowed(state: ExperimentState, status: string): boolean {
  if (status === state.status) return false
  if (ended.has(state.status)) return status === 'archived'
  return !(state.has_run && beforeRun.has(status))
}

/** Throws 409 unless the experiment is a draft that has never run. */
export function requireDraft({ status, has_run }: ExperimentState): void {
  if (status !== 'draft' || has_run) throw experimentNotDraft(status)
}

/** Throws 409 when the experiment has run or has ended. */
export function requireNotRun({ status, has_run }: ExperimentState): void {
  if (has_run || ended.has(status)) throw experimentHasRun(status)
}

/** Throws 409 when the analysis plan is locked: the experiment is no longer a draft, or has run. */
export function requirePlanOpen({ status, has_run }: ExperimentState): void {
  if (status !== 'draft' || has_run) throw planLocked(status)
}

/** Throws 409 when the experiment has not run. Allows the client's own labels: they may mean a run. */
export function requireRun({ status, has_run }: ExperimentState): void {
  if (!has_run && statuses.includes(status)) throw experimentNotRun(status)
}

/** The state after the conclusion. An experiment that has ended keeps its state. */
export function concludedState(state: ExperimentState): ExperimentState {
  return ended.has(state.status) ? state : nextState(state, 'completed')
}
