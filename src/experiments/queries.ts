import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import { jsonb, laterThan } from '../database/expressions.js'
import type { Database, Db, Trx } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'
import { type RunningExperiment, type StoredExperiment, sessionsOf } from './design.js'

/** The fields of the contract's Experiment, without `warnings`. */
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

/** How many running experiments are searched for shared sessions. */
const maxRunning = 200

/**
 * The latest other running experiments of the organization, each with the sessions that it shares
 * with this one. `unnest` lets PostgreSQL look each session up in a hash instead of in a list.
 */
function otherRunning(db: Db, { organization_id, _id, ...arms }: StoredExperiment) {
  const sessions = sessionsOf(arms)
  return db
    .selectFrom('experiments')
    .select(['_id', 'name'])
    .select(
      sql<string[]>`array(
        select session from unnest(control_session_ids || intervention_session_ids) as session
        where session in (select unnest(${sessions}::text[])))`.as('shared'),
    )
    .where('organization_id', '=', organization_id)
    .where('status', '=', 'running')
    .where('_id', '!=', _id)
    .orderBy('_id', 'desc')
    .limit(maxRunning)
    .as('running')
}

/** The other running experiments that share sessions with this one. */
export function selectOthersRunning(
  db: Db,
  experiment: StoredExperiment,
): Promise<RunningExperiment[]> {
  return db
    .selectFrom(otherRunning(db, experiment))
    .select(['_id', 'name'])
    .select([sql<string[]>`shared[1:5]`.as('first'), sql<number>`cardinality(shared)`.as('count')])
    .where(sql<boolean>`shared <> '{}'`)
    .orderBy('_id')
    .execute()
}

/** The sessions that an experiment shares with other running ones. */
export async function selectSharedSessions(
  db: Db,
  experiment: StoredExperiment,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom(otherRunning(db, experiment))
    .select(sql<string>`unnest(shared)`.as('session'))
    .distinct()
    .execute()
  return new Set(rows.map(({ session }) => session))
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
