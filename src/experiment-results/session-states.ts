import type { Schema } from '../contract.js'
import { type StoredExperiment, sessionsOf } from '../experiments/design.js'
import { isId } from '../formats/identifiers.js'
import type { Arm } from './comparison/trial.js'
import type { AssignedSession } from './queries.js'

type ArmProgress = Schema<'ArmProgress'>

/** A session whose outcomes count, in the arm that it ran in. */
export interface CountedSession {
  session_id: string
  arm: Arm
  /** The block of the assignment. Null without an assignment, and for a session without a block. */
  block: string | null
}

/** The ids in the arms that have the form of a session's id here. */
export const possibleSessions = (experiment: StoredExperiment) =>
  sessionsOf(experiment).filter(isId)

export function armsProgress(
  experiment: StoredExperiment,
  sessions: readonly AssignedSession[],
): Schema<'ArmsProgress'> {
  const byId = new Map(sessions.map((one) => [one._id, one]))
  const progress = (ids: string[]) => armProgress(ids.map((id) => byId.get(id)))
  return {
    control: progress(experiment.control_session_ids),
    intervention: progress(experiment.intervention_session_ids),
  }
}

type Counter = Exclude<keyof ArmProgress, 'assigned' | 'unknown'>

const counters: Record<Exclude<AssignedSession['status'], 'failed'>, Counter> = {
  draft: 'not_started',
  scheduled: 'not_started',
  running: 'running',
  paused: 'running',
  completed: 'completed',
  cancelled: 'cancelled',
}

/** A failed session counts as unfinished until it is ended, because a retry continues it. */
function counterOf({ status, started_at }: AssignedSession): Counter {
  if (status !== 'failed') return counters[status]
  return started_at === null ? 'not_started' : 'running'
}

function armProgress(sessions: (AssignedSession | undefined)[]): ArmProgress {
  const count = (counter: keyof ArmProgress) =>
    sessions.filter((one) => one && counterOf(one) === counter).length
  return {
    assigned: sessions.length,
    unknown: sessions.filter((one) => !one).length,
    not_started: count('not_started'),
    running: count('running'),
    completed: count('completed'),
    cancelled: count('cancelled'),
  }
}

/** The ids of the sessions in both arms that have not ended, sorted. */
export function unfinishedOf(experiment: StoredExperiment, sessions: readonly AssignedSession[]) {
  return inArms(experiment, sessions)
    .filter((one) => counterOf(one) === 'not_started' || counterOf(one) === 'running')
    .map(({ _id }) => _id)
}

/** The sessions that are in one of the arms now. */
export function inArms(
  experiment: StoredExperiment,
  sessions: readonly AssignedSession[],
): AssignedSession[] {
  const assigned = new Set(sessionsOf(experiment))
  return sessions.filter(({ _id }) => assigned.has(_id))
}

export function countedSessions(
  experiment: StoredExperiment,
  sessions: readonly AssignedSession[],
): CountedSession[] {
  const blocks = experiment.assignment?.blocks ?? []
  const names = new Map(
    blocks.flatMap(({ name, session_ids }) => session_ids.map((id) => [id, name] as const)),
  )
  return inArms(experiment, sessions).flatMap(({ _id: session_id, status, ...ranIn }) => {
    const arm = armIn(experiment, ranIn)
    const block = names.get(session_id) ?? null
    return status === 'completed' && arm ? [{ session_id, arm, block }] : []
  })
}

/** The arm of this experiment that a session ran in. Null if it ran in none. */
export function armIn(
  { _id }: StoredExperiment,
  { experiment_id, arm }: Pick<AssignedSession, 'experiment_id' | 'arm'>,
): Arm | null {
  return experiment_id === _id ? arm : null
}
