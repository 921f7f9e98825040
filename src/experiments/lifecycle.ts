import type { Schema } from '../contract.js'
import { invalidStatusTransition, valueError } from '../errors.js'

/** What a status means. Any text that is not here is the client's own label. */
const statuses = ['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled', 'archived']
const beforeRun = new Set(['draft', 'scheduled'])
const meansHasRun = new Set(['running', 'paused', 'completed'])
const ended = new Set(['completed', 'cancelled', 'archived'])

interface Stage {
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

type Experiment = Omit<Schema<'Experiment'>, 'warnings'>
type Update = Schema<'ExperimentUpdate'>

/** Refuses a session in both arms and a period that ends before it begins. `wanted` is to be stored. */
export function checkDesign(wanted: Experiment, update: Update): void {
  const control = new Set(wanted.control_session_ids)
  const both = wanted.intervention_session_ids.find((session) => control.has(session))
  if (both !== undefined) throw sessionInBothArms(both, update)

  const { start_at, end_at } = wanted
  if (start_at && end_at && end_at <= start_at) {
    const field = update.end_at ? 'end_at' : 'start_at'
    throw valueError(['body', field], 'end_at must be after start_at')
  }
}

function sessionInBothArms(session: string, update: Update) {
  const arm = update.intervention_session_ids ? 'intervention_session_ids' : 'control_session_ids'
  const index = update[arm]?.indexOf(session) ?? 0
  return valueError(['body', arm, String(index)], 'a session can be in one arm only')
}
