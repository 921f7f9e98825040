import type { Insertable, Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import { jsonb, laterThan } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'
import { type RunningExperiment, type StoredExperiment, sessionsOf } from './design.js'

type Db = Kysely<Database>
type Trx = Transaction<Database>

/** The contract's Experiment, but for its warnings. */
export const experimentColumns = [
  '_id',
  'organization_id',
  'name',
  'hypothesis',
  'status',
  'control_session_ids',
  'intervention_session_ids',
  'assignment',
  'assignment_ids',
  'start_at',
  'end_at',
  'metadata',
  'created_by',
  'created_at',
  'updated_at',
] as const

export function selectExperiment(db: Db, scope: Scope, experiment_id: string) {
  return inScope(db.selectFrom('experiments'), 'experiments', scope)
    .select(experimentColumns)
    .where('_id', '=', experiment_id)
    .executeTakeFirst()
}

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

/** The running experiments of the organization that have sessions of this one. */
export async function selectOthersRunning(
  db: Db,
  { organization_id, _id: experiment_id, ...arms }: StoredExperiment,
): Promise<RunningExperiment[]> {
  const sessions = sessionsOf(arms)
  if (sessions.length === 0) return []
  return db
    .selectFrom('experiments')
    .select(['_id', 'name', 'control_session_ids', 'intervention_session_ids'])
    .where('organization_id', '=', organization_id)
    .where('status', '=', 'running')
    .where('_id', '!=', experiment_id)
    .where(sql<boolean>`(control_session_ids || intervention_session_ids) && ${sessions}::text[]`)
    .orderBy('_id')
    .execute()
}

export function insertExperiment(trx: Trx, values: Insertable<Database['experiments']>) {
  return trx
    .insertInto('experiments')
    .values(values)
    .returning(experimentColumns)
    .executeTakeFirstOrThrow()
}

export function updateExperiment(trx: Trx, wanted: StoredExperiment, has_run: boolean) {
  const { _id, organization_id, created_at, created_by, metadata, assignment, ...fields } = wanted
  const json = { metadata: jsonb(metadata), assignment: assignment && jsonb(assignment) }
  return trx
    .updateTable('experiments')
    .set({ ...fields, ...json, has_run, updated_at: laterThan(wanted.updated_at) })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .returning(experimentColumns)
    .executeTakeFirstOrThrow()
}

export async function deleteExperiment(
  trx: Trx,
  { organization_id, _id }: Pick<StoredExperiment, 'organization_id' | '_id'>,
): Promise<void> {
  await trx
    .deleteFrom('experiments')
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
}
