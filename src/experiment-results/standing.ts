import type { Schema } from '../contract.js'
import { type StoredExperiment, sessionsOf } from '../experiments/design.js'
import { isId } from '../identifiers.js'
import type { Standing } from './queries.js'
import type { Arm } from './trial.js'

type ArmProgress = Schema<'ArmProgress'>

/** A session whose outcomes count, in the arm that it ran in. */
export interface CountedSession {
  session_id: string
  arm: Arm
  /** The block of the assignment; null without one, and for those that were in no block. */
  block: string | null
}

/** Ids of the arms that can be sessions of this service. */
export const possibleSessions = (experiment: StoredExperiment) =>
  sessionsOf(experiment).filter(isId)

export function armsProgress(
  experiment: StoredExperiment,
  standings: readonly Standing[],
): Schema<'ArmsProgress'> {
  const byId = new Map(standings.map((one) => [one._id, one]))
  const progress = (ids: string[]) => progressOf(ids.map((id) => byId.get(id)))
  return {
    control: progress(experiment.control_session_ids),
    intervention: progress(experiment.intervention_session_ids),
  }
}

type Counter = Exclude<keyof ArmProgress, 'assigned' | 'unknown'>

const counters: Record<Exclude<Standing['status'], 'failed'>, Counter> = {
  draft: 'not_started',
  scheduled: 'not_started',
  running: 'running',
  paused: 'running',
  completed: 'completed',
  cancelled: 'cancelled',
}

/** A failed session goes on when it is retried: until it is ended, it is unfinished. */
function counterOf({ status, started_at }: Standing): Counter {
  if (status !== 'failed') return counters[status]
  return started_at === null ? 'not_started' : 'running'
}

function progressOf(standings: (Standing | undefined)[]): ArmProgress {
  const count = (counter: keyof ArmProgress) =>
    standings.filter((one) => one && counterOf(one) === counter).length
  return {
    assigned: standings.length,
    unknown: standings.filter((one) => !one).length,
    not_started: count('not_started'),
    running: count('running'),
    completed: count('completed'),
    cancelled: count('cancelled'),
  }
}

/** The sessions of both arms that have not ended, in order. */
export function unfinishedOf(experiment: StoredExperiment, standings: readonly Standing[]) {
  return inArms(experiment, standings)
    .filter((one) => counterOf(one) === 'not_started' || counterOf(one) === 'running')
    .map(({ _id }) => _id)
}

/** Those that are in one of the arms now. */
export function inArms(experiment: StoredExperiment, standings: readonly Standing[]): Standing[] {
  const assigned = new Set(sessionsOf(experiment))
  return standings.filter(({ _id }) => assigned.has(_id))
}

export function countedSessions(
  experiment: StoredExperiment,
  standings: readonly Standing[],
): CountedSession[] {
  const blocks = experiment.assignment?.blocks ?? []
  const names = new Map(
    blocks.flatMap(({ name, session_ids }) => session_ids.map((id) => [id, name] as const)),
  )
  return inArms(experiment, standings).flatMap(({ _id: session_id, status, ...place }) => {
    const arm = armIn(experiment, place)
    const block = names.get(session_id) ?? null
    return status === 'completed' && arm ? [{ session_id, arm, block }] : []
  })
}

/** The arm of this experiment that a session ran in; null where it ran in none. */
export function armIn(
  { _id }: StoredExperiment,
  { experiment_id, arm }: Pick<Standing, 'experiment_id' | 'arm'>,
): Arm | null {
  return experiment_id === _id ? arm : null
}
