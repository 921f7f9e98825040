import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '../contract.js'
import { jsonb, laterThan } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import type { FrozenConclusion } from '../database/simulation-tables.js'

interface Key {
  organization_id: string
  _id: string
}
type Stored = Key & { updated_at: string }

/** How the arms are compared, and what came of it. */
export function selectAnalysis(db: Kysely<Database>, { organization_id, _id }: Key) {
  return db
    .selectFrom('experiments')
    .select(['has_run', 'analysis_plan', 'conclusion'])
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .executeTakeFirstOrThrow()
}

export async function updatePlan(
  trx: Transaction<Database>,
  experiment: Stored,
  analysis_plan: Schema<'AnalysisPlan'>,
): Promise<void> {
  await updateQuery(trx, experiment)
    .set({ analysis_plan: jsonb(analysis_plan) })
    .execute()
}

export async function updateConclusion(
  trx: Transaction<Database>,
  experiment: Stored,
  conclusion: FrozenConclusion,
): Promise<void> {
  await updateQuery(trx, experiment)
    .set({ conclusion: jsonb(conclusion) })
    .execute()
}

/** Gives it another `updated_at`, by which a setup sees that people have worked on what it made. */
function updateQuery(trx: Transaction<Database>, { organization_id, _id, updated_at }: Stored) {
  return trx
    .updateTable('experiments')
    .set({ updated_at: laterThan(updated_at) })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
}
