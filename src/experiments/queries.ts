import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { experimentColumns } from './columns.js'

type Trx = Transaction<Database>
type StoredExperiment = Omit<Schema<'Experiment'>, 'warnings'>

/** Of one organization, or of any when it is null. */
export function selectExperimentForUpdate(
  trx: Trx,
  organization_id: string | null,
  experiment_id: string,
) {
  return trx
    .selectFrom('experiments')
    .select([...experimentColumns, 'has_run'])
    .$if(organization_id !== null, (query) => query.where('organization_id', '=', organization_id))
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
