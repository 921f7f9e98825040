import type { Schema } from '../contract.js'
import { type Arm, armNames, type StoredExperiment, sessionsOf } from '../experiments/design.js'
import type { AssignedSession } from './queries.js'
import { armIn, inArms } from './session-states.js'

type Warning = Schema<'Warning'>

/** Warnings about sessions that weaken a comparison of the arms. */
export function sessionWarnings(
  experiment: StoredExperiment,
  sessions: readonly AssignedSession[],
): Warning[] {
  const byId = new Map(sessions.map((one) => [one._id, one]))
  const assigned = armNames.flatMap((field) => [
    ...unknownWarnings(field, experiment, byId),
    ...experiment[field].flatMap((id) => {
      const session = byId.get(id)
      const message = session && warningFor(experiment, field, session)
      return message ? [{ field, value: id, message }] : []
    }),
  ])
  const inArm = new Set(sessionsOf(experiment))
  const inNone = sessions.filter(({ _id }) => !inArm.has(_id))
  return [...assigned, ...inNone.map(removedWarning)]
}

function unknownWarnings(
  field: Arm,
  { [field]: ids }: StoredExperiment,
  known: Map<string, AssignedSession>,
) {
  const count = ids.filter((id) => !known.has(id)).length
  const message = `Sessions that do not exist in this service, and have no data here: ${count}`
  return count === 0 ? [] : [{ field, value: `${count}`, message }]
}

function warningFor(
  experiment: StoredExperiment,
  field: Arm,
  { status, started_at, ...ranIn }: AssignedSession,
): string | null {
  if (status === 'failed') return 'It has failed: retry it or end it'
  if (status === 'cancelled') return 'It was cancelled, and has no outcomes'
  if (started_at === null) return null
  const arm = armIn(experiment, ranIn)
  if (arm === null) return 'It did not run in this experiment, and is left out'
  if (`${arm}_session_ids` === field) return null
  // Does not name the arm, because raters can read the warning.
  return 'It ran in the other arm, and is analysed as it ran'
}

function removedWarning({ _id }: AssignedSession): Warning {
  const message = 'It ran in this experiment and was removed from it later: it is left out'
  return { field: 'session_ids', value: _id, message }
}

/** The deviations of the sessions from their plans, sorted by time. */
export function deviationsOf(
  experiment: StoredExperiment,
  sessions: readonly AssignedSession[],
): Schema<'SessionDeviation'>[] {
  const all = inArms(experiment, sessions).flatMap(({ deviations }) => deviations)
  return all.sort((a, b) => (a.at < b.at ? -1 : 1))
}
