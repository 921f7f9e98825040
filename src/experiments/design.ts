import type { Schema } from '../contract.js'
import { valueError } from '../faults.js'

/** An experiment as stored, without `warnings`: these depend on other rows and on the time. */
export type StoredExperiment = Schema<'ListedExperiment'>

export const armNames = ['control_session_ids', 'intervention_session_ids'] as const
export type Arm = (typeof armNames)[number]
export type Arms = Pick<StoredExperiment, Arm>

/** Another running experiment that uses some of the same sessions. */
export interface RunningExperiment extends Pick<StoredExperiment, '_id' | 'name'> {
  /** The first five sessions that both use. */
  first: string[]
  /** How many sessions both use. */
  count: number
}

export function sessionsInBothArms(arms: Arms): string[] {
  const control = new Set(arms.control_session_ids)
  return arms.intervention_session_ids.filter((session) => control.has(session))
}

/** The arm that is more than twice as large as the other. Null if there is none or one is empty. */
export function armTooLarge(arms: Arms): Arm | null {
  const control = arms.control_session_ids.length
  const intervention = arms.intervention_session_ids.length
  const smaller = Math.min(control, intervention)
  if (smaller === 0 || Math.max(control, intervention) <= 2 * smaller) return null
  return control > intervention ? 'control_session_ids' : 'intervention_session_ids'
}

export const sessionsOf = (arms: Arms) => armNames.flatMap((arm) => arms[arm])

/** Whether two experiments have the same sessions in each arm, in any order. */
export function haveSameArms(one: Arms, other: Arms): boolean {
  return armNames.every((arm) => {
    const sessions = new Set(one[arm])
    return sessions.size === other[arm].length && other[arm].every((id) => sessions.has(id))
  })
}

type Update = Partial<Schema<'ExperimentUpdate'>>
type Design = Arms & Pick<StoredExperiment, 'start_at' | 'end_at'>

/** Throws 422 for a session in both arms, and for a period that ends before it starts. */
export function checkDesign(wanted: Design, update: Update): void {
  const [both] = sessionsInBothArms(wanted)
  if (both !== undefined) throw sessionInBothArms(both, update)

  const { start_at, end_at } = wanted
  if (start_at && end_at && end_at <= start_at) {
    const field = update.end_at ? 'end_at' : 'start_at'
    throw valueError(['body', field], 'end_before_start', 'end_at must be after start_at')
  }
}

function sessionInBothArms(session: string, update: Update) {
  const arm = update.intervention_session_ids ? 'intervention_session_ids' : 'control_session_ids'
  const index = update[arm]?.indexOf(session) ?? 0
  return valueError(
    ['body', arm, String(index)],
    'in_both_arms',
    'a session can be in one arm only',
  )
}
