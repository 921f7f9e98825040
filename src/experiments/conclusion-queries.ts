import type { Schema } from '../contract.js'
import { jsonb, laterThan } from '../database/expressions.js'
import type { Db, Trx } from '../database/schema.js'
import type { FrozenConclusion } from '../database/tables/simulation.js'
import { experimentNotFound } from '../errors.js'

interface ExperimentKey {
  organization_id: string
  _id: string
}
type StoredKey = ExperimentKey & { updated_at: string }

/** The analysis plan of an experiment, and its conclusion. */
export function selectAnalysis(db: Db, { organization_id, _id }: ExperimentKey) {
  return db
    .selectFrom('experiments')
    .select(['has_run', 'analysis_plan', 'conclusion'])
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .executeTakeFirstOrThrow(experimentNotFound)
}

export async function updateAnalysisPlan(
  trx: Trx,
  experiment: StoredKey,
  analysis_plan: Schema<'AnalysisPlan'>,
): Promise<void> {
  await updateQuery(trx, experiment)
    .set({ analysis_plan: jsonb(analysis_plan) })
    .execute()
}

export async function updateConclusion(
  trx: Trx,
  experiment: StoredKey,
  conclusion: FrozenConclusion,
): Promise<void> {
  await updateQuery(trx, experiment)
    .set({ conclusion: jsonb(conclusion) })
    .execute()
}

/** Changes `updated_at` too: it tells a setup that people have changed the draft it made. */
function updateQuery(trx: Trx, { organization_id, _id, updated_at }: StoredKey) {
  return trx
    .updateTable('experiments')
    .set({ updated_at: laterThan(updated_at) })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
}
