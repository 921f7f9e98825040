import type { Insertable, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { inScope } from '../database/scope.js'

type Trx = Transaction<Database>
type StoredExperiment = Omit<Schema<'Experiment'>, 'warnings'>

/** The contract's Experiment, but for its warnings. */
export const experimentColumns = [
  '_id',
  'organization_id',
  'name',
  'hypothesis',
  'status',
  'control_session_ids',
  'intervention_session_ids',
  'assignment_ids',
  'start_at',
  'end_at',
  'metadata',
  'created_by',
  'created_at',
  'updated_at',
] as const

/** Whose experiment it is, where somebody names one without its organization. */
export async function selectExperimentOwner(trx: Trx, experiment_id: string) {
  const row = await inScope(trx.selectFrom('experiments'), 'experiments', 'every organization')
    .select('organization_id')
    .where('_id', '=', experiment_id)
    .executeTakeFirst()
  return row?.organization_id
}

export function selectExperimentForUpdate(
  trx: Trx,
  organization_id: string,
  experiment_id: string,
) {
  return trx
    .selectFrom('experiments')
    .select([...experimentColumns, 'has_run'])
    .where('organization_id', '=', organization_id)
    .where('_id', '=', experiment_id)
    .forUpdate()
    .executeTakeFirst()
}

export function updateExperiment(trx: Trx, wanted: StoredExperiment, has_run: boolean) {
  const { _id, organization_id, created_at, created_by, metadata, ...fields } = wanted
  return trx
    .updateTable('experiments')
    .set({ ...fields, metadata: jsonb(metadata), has_run, updated_at: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .returning(experimentColumns)
    .executeTakeFirstOrThrow()
}

export async function insertExperiment(trx: Trx, values: Insertable<Database['experiments']>) {
  await trx.insertInto('experiments').values(values).execute()
}
