import type { Expression, Kysely, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import { jsonColumns } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import type { StoredExperiment } from './design.js'

type Db = Kysely<Database>

/**
 * Whether an experiment has no conclusion yet and a user has a place in a session that is in one of
 * its arms or ran in it.
 */
const hidesArms = (user_id: string | Expression<string>) => sql<boolean>`(
  conclusion is null and exists (
    select from session_assignments as place
    where place.organization_id = experiments.organization_id and place.user_id = ${user_id}::uuid
      and (place.session_id::text = any(control_session_ids || intervention_session_ids)
        or exists (
          select from simulation_sessions as session
          where session.organization_id = place.organization_id
            and session._id = place.session_id and session.experiment_id = experiments._id))))`

export async function selectIsBlinded(
  db: Db,
  { organization_id, _id }: Pick<StoredExperiment, 'organization_id' | '_id'>,
  user_id: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('experiments')
    .select(hidesArms(user_id).as('is_blinded'))
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .executeTakeFirst()
  return row?.is_blinded ?? false
}

const openColumns = [
  ...(['_id', 'organization_id', 'name', 'status', 'start_at', 'end_at'] as const),
  ...(['created_by', 'created_at', 'updated_at'] as const),
]
type Hidden = Omit<StoredExperiment, (typeof openColumns)[number]>

function unlessHidden<Column extends keyof Hidden>(column: Column, empty: string) {
  const value = sql<Hidden[Column]>`
    case when hides_arms then ${sql.raw(empty)} else ${sql.ref(column)} end`
  return value.as(column)
}

/** The columns of the list for a reader who takes part in some, in the place of `experimentColumns`. */
export const blindableColumns = [
  ...jsonColumns('experiments', openColumns),
  unlessHidden('hypothesis', 'null'),
  unlessHidden('control_session_ids', "'{}'"),
  unlessHidden('intervention_session_ids', "'{}'"),
  unlessHidden('assignment', 'null'),
  unlessHidden('assignment_ids', "'{}'"),
  unlessHidden('metadata', "'{}'"),
]

/** Tells each experiment of a query once whether its arms are hidden from a user. */
export function withBlinding(
  query: SelectQueryBuilder<Database, 'experiments', object>,
  user_id: Expression<string>,
) {
  // Without the offset PostgreSQL would ask again for each column.
  const blinding = sql<{
    hides_arms: boolean
  }>`(select ${hidesArms(user_id)} as hides_arms offset 0)`
  return query.innerJoinLateral(blinding.as('blinding'), (join) => join.onTrue())
}
