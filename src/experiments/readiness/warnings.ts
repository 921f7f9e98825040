import type { Schema } from '../../contract.js'
import type { Db } from '../../database/schema.js'
import { armNames, armTooLarge, type StoredExperiment } from '../design.js'
import { selectSharedSessions } from '../queries.js'
import { findNamedSessions, type NamedSessions } from './named-sessions.js'

/** Otherwise the answer would have two for each session. */
const maxWarnings = 100

/** The contract's Experiment, with the warnings about its design as of now. */
export async function withWarnings(
  db: Db,
  experiment: StoredExperiment,
): Promise<Schema<'Experiment'>> {
  const elsewhere = await selectSharedSessions(db, experiment)
  const named = await findNamedSessions(db, experiment)
  const warnings = [
    ...designWarnings(experiment, elsewhere),
    ...namedSessionWarnings(experiment, named),
  ]
  return { ...experiment, warnings: warnings.slice(0, maxWarnings) }
}

/** Design faults that the service allows. */
function designWarnings(
  experiment: StoredExperiment,
  elsewhere: ReadonlySet<string>,
): Schema<'Warning'>[] {
  const isRunning = experiment.status === 'running'
  const empty = armNames
    .filter((arm) => isRunning && experiment[arm].length === 0)
    .map((field) => ({ field, value: null, message: 'This arm is empty while running' }))
  const shared = armNames.flatMap((field) =>
    experiment[field]
      .filter((session) => elsewhere.has(session))
      .map((value) => ({ field, value, message: 'Another running experiment uses this session' })),
  )
  return [...empty, ...unbalanced(experiment), ...shared]
}

/** Warnings about sessions that do not exist or have started already. */
function namedSessionWarnings(
  experiment: StoredExperiment,
  named: NamedSessions,
): Schema<'Warning'>[] {
  return armNames.flatMap((field) =>
    experiment[field].flatMap((value) => {
      const status = named.begun.get(value)
      if (status) return { field, value, message: `This session has started already: ${status}` }
      if (!named.unknown.has(value)) return []
      return { field, value, message: 'The organization has no such session' }
    }),
  )
}

function unbalanced(experiment: StoredExperiment): Schema<'Warning'>[] {
  const field = armTooLarge(experiment)
  if (!field) return []
  const { control_session_ids: control, intervention_session_ids: intervention } = experiment
  const value = `${control.length}:${intervention.length}`
  return [{ field, value, message: 'The arms are more than two to one; a comparison will be weak' }]
}
