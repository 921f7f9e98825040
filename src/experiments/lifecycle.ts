import {
  experimentHasRun,
  experimentNotDraft,
  experimentNotRun,
  invalidStatusTransition,
  planLocked,
} from '../errors.js'

/** What a status means. Any text that is not here is the client's own label. */
const statuses = ['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled', 'archived']
const beforeRun = new Set(['draft', 'scheduled'])
const meansHasRun = new Set(['running', 'paused', 'completed'])
const ended = new Set(['completed', 'cancelled', 'archived'])

export interface Stage {
  status: string
  /** Whether it has ever run, whatever label it carries now. */
  has_run: boolean
}

/**
 * The stage after a change of status. What has ended never runs again, completed and cancelled may
 * only be archived; what has run never goes back to before its run. Throws 409 otherwise.
 */
export function nextStage(stage: Stage, status: string): Stage {
  if (status !== stage.status && !isAllowed(stage, status)) {
    const allowed = statuses.filter((known) => isAllowed(stage, known))
    throw invalidStatusTransition(stage.status, status, allowed)
  }
  return { status, has_run: stage.has_run || meansHasRun.has(status) }
}

function isAllowed(stage: Stage, status: string): boolean {
  if (status === stage.status) return false
  if (ended.has(stage.status)) return status === 'archived'
  return !(stage.has_run && beforeRun.has(status))
}

/** Throws 409 unless it is a draft, which has never run. */
export function requireDraft({ status, has_run }: Stage): void {
  if (status !== 'draft' || has_run) throw experimentNotDraft(status)
}

/** Throws 409 when it has run or has ended, whatever label it carries now. */
export function requireNotRun({ status, has_run }: Stage): void {
  if (has_run || ended.has(status)) throw experimentHasRun(status)
}

/** Throws 409 where its plan is frozen: it is a draft no more, or has run. */
export function requirePlanOpen({ status, has_run }: Stage): void {
  if (status !== 'draft' || has_run) throw planLocked(status)
}

/** Throws 409 when it has not run. Whether it has is not known of a client's own label. */
export function requireRun({ status, has_run }: Stage): void {
  if (!has_run && statuses.includes(status)) throw experimentNotRun(status)
}

/** The stage that it is concluded in: what has ended stays as it is. */
export function concludedStage(stage: Stage): Stage {
  return ended.has(stage.status) ? stage : nextStage(stage, 'completed')
}
