import type { Kysely } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { armNames, armTooLarge, type StoredExperiment } from './design.js'
import { selectSharedSessions } from './queries.js'

/** The contract's Experiment, with what is doubtful about its design as of now. */
export async function withWarnings(
  db: Kysely<Database>,
  experiment: StoredExperiment,
): Promise<Schema<'Experiment'>> {
  const elsewhere = await selectSharedSessions(db, experiment)
  return { ...experiment, warnings: designWarnings(experiment, elsewhere) }
}

/** Faults that do not forbid the experiment, for the people who run it. */
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

function unbalanced(experiment: StoredExperiment): Schema<'Warning'>[] {
  const field = armTooLarge(experiment)
  if (!field) return []
  const { control_session_ids: control, intervention_session_ids: intervention } = experiment
  const value = `${control.length}:${intervention.length}`
  return [{ field, value, message: 'The arms are more than two to one; a comparison will be weak' }]
}
