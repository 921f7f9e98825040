import { sql } from 'kysely'
import type { Db } from '../../database/schema.js'
import type { StoredExperiment } from '../design.js'

/**
 * Whether the arms of an experiment are hidden from a user. They are if the experiment has no
 * conclusion yet and the user is assigned to a session that is in one of its arms or ran in it, or to any
 * session that has not ended, because that one can still get into an arm. Each inner query runs once and
 * is hashed, because a user may have thousands of assignments.
 */
const hidesArms = (organization_id: string, user_id: string) => sql<boolean>`(
  conclusion is null and (
    exists (
      select from session_assignments as assignment
      join simulation_sessions as session
        on session.organization_id = assignment.organization_id and session._id = assignment.session_id
      where assignment.organization_id = ${organization_id}::uuid and assignment.user_id = ${user_id}::uuid
        and assignment.removed_at is null
        and session.status not in ('completed', 'cancelled'))
    or _id in (
      select session.experiment_id from session_assignments as assignment
      join simulation_sessions as session
        on session.organization_id = assignment.organization_id and session._id = assignment.session_id
      where assignment.organization_id = ${organization_id}::uuid and assignment.user_id = ${user_id}::uuid)
    or exists (
      select from unnest(control_session_ids || intervention_session_ids) as arm (session_id)
      where arm.session_id in (
        select assignment.session_id::text from session_assignments as assignment
        where assignment.organization_id = ${organization_id}::uuid and assignment.user_id = ${user_id}::uuid))))`

export async function selectIsBlinded(
  db: Db,
  { organization_id, _id }: Pick<StoredExperiment, 'organization_id' | '_id'>,
  user_id: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('experiments')
    .select(hidesArms(organization_id, user_id).as('is_blinded'))
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .executeTakeFirst()
  return row?.is_blinded ?? false
}

/** The experiments among these ids whose arms are hidden from a user. */
export async function selectHiddenIds(
  db: Db,
  organization_id: string,
  user_id: string,
  ids: string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('experiments')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`_id = any(${ids}::uuid[])`)
    .where(hidesArms(organization_id, user_id))
    .execute()
  return new Set(rows.map(({ _id }) => _id))
}
