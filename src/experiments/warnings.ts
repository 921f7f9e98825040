import type { Kysely } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'

type Experiment = Omit<Schema<'Experiment'>, 'warnings'>

/** The contract's Experiment, with what is doubtful about its design as of now. */
export async function withWarnings(
  db: Kysely<Database>,
  experiment: Experiment,
): Promise<Schema<'Experiment'>> {
  const elsewhere = await selectSessionsRunningElsewhere(db, experiment)
  return { ...experiment, warnings: designWarnings(experiment, elsewhere) }
}

/** The sessions that running experiments of the organization use, apart from this one. */
async function selectSessionsRunningElsewhere(
  db: Kysely<Database>,
  { organization_id, _id: experiment_id }: Experiment,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('experiments')
    .select(['control_session_ids', 'intervention_session_ids'])
    .where('organization_id', '=', organization_id)
    .where('status', '=', 'running')
    .where('_id', '!=', experiment_id)
    .execute()
  return new Set(
    rows.flatMap((row) => [...row.control_session_ids, ...row.intervention_session_ids]),
  )
}

/** Faults that do not forbid the experiment, for the people who run it. */
function designWarnings(
  experiment: Experiment,
  sessionsRunningElsewhere: ReadonlySet<string>,
): Schema<'Warning'>[] {
  const arms = ['control_session_ids', 'intervention_session_ids'] as const
  const isRunning = experiment.status === 'running'
  const empty = arms
    .filter((arm) => isRunning && experiment[arm].length === 0)
    .map((field) => ({ field, value: null, message: 'This arm is empty while running' }))
  const shared = arms.flatMap((field) =>
    experiment[field]
      .filter((session) => sessionsRunningElsewhere.has(session))
      .map((value) => ({ field, value, message: 'Another running experiment uses this session' })),
  )
  return [...empty, ...unbalanced(experiment), ...shared]
}

function unbalanced(experiment: Experiment): Schema<'Warning'>[] {
  const control = experiment.control_session_ids.length
  const intervention = experiment.intervention_session_ids.length
  const smaller = Math.min(control, intervention)
  if (smaller === 0 || Math.max(control, intervention) <= 2 * smaller) return []
  const field = control > intervention ? 'control_session_ids' : 'intervention_session_ids'
  const message = 'The arms are more than two to one; a comparison will be weak'
  return [{ field, value: `${control}:${intervention}`, message }]
}
