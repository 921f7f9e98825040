import type { Schema } from '../contract.js'
import { type Arm, armNames, type StoredExperiment, sessionsOf } from '../experiments/design.js'
import type { Standing } from './queries.js'
import { armIn, inArms } from './standing.js'

type Warning = Schema<'Warning'>

/** What is to be known of the sessions before anybody believes a comparison of them. */
export function standingWarnings(
  experiment: StoredExperiment,
  standings: readonly Standing[],
): Warning[] {
  const byId = new Map(standings.map((one) => [one._id, one]))
  const assigned = armNames.flatMap((field) => [
    ...unknownIn(field, experiment, byId),
    ...experiment[field].flatMap((id) => {
      const standing = byId.get(id)
      const message = standing && doubtIn(experiment, field, standing)
      return message ? [{ field, value: id, message }] : []
    }),
  ])
  const inArm = new Set(sessionsOf(experiment))
  const inNone = standings.filter(({ _id }) => !inArm.has(_id))
  return [...assigned, ...inNone.map(takenOut)]
}

function unknownIn(field: Arm, { [field]: ids }: StoredExperiment, known: Map<string, Standing>) {
  const count = ids.filter((id) => !known.has(id)).length
  const message = 'So many ids are no sessions of this service, and have no data here'
  return count === 0 ? [] : [{ field, value: `${count}`, message }]
}

function doubtIn(
  experiment: StoredExperiment,
  field: Arm,
  { status, started_at, ...place }: Standing,
): string | null {
  if (status === 'failed') return 'It has failed: retry it or end it'
  if (status === 'cancelled') return 'It was cancelled, and has no outcomes'
  if (started_at === null) return null
  const arm = armIn(experiment, place)
  if (arm === null) return 'It did not run in this experiment, and is left out'
  if (`${arm}_session_ids` === field) return null
  // Not in which: whoever rates may read this.
  return 'It ran in the other arm, and is analysed as it ran'
}

function takenOut({ _id }: Standing): Warning {
  const message = 'It ran in this experiment and was taken out of it since: it is left out'
  return { field: 'session_ids', value: _id, message }
}

/** Where sessions did not run as planned, in the order of time. */
export function deviationsOf(
  experiment: StoredExperiment,
  standings: readonly Standing[],
): Schema<'SessionDeviation'>[] {
  const all = inArms(experiment, standings).flatMap(({ deviations }) => deviations)
  return all.sort((a, b) => (a.at < b.at ? -1 : 1))
}
