import { sql } from 'kysely'
import { jsonb, laterThan } from '../database/expressions.js'
import type { Trx } from '../database/schema.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { userColumns } from './queries.js'
import type { StoredUser } from './update.js'

/** Whether there is another admin who is active and has accepted their invitation, if any. */
export async function hasOtherAdmin(
  trx: Trx,
  organization_id: string,
  user_id: string,
): Promise<boolean> {
  const other = await trx
    .selectFrom('users')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where('role', '=', 'admin')
    .where('is_active', '=', true)
    .where('_id', '!=', user_id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('invitations')
            .select('invitations._id')
            .whereRef('invitations.organization_id', '=', 'users.organization_id')
            .whereRef('invitations.user_id', '=', 'users._id')
            .where('accepted_at', 'is', null),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** The names of the characters in a user's sessions. Before a start, any character may join. */
export async function selectCharacterNames(
  trx: Trx,
  organization_id: string,
  user_id: string,
): Promise<string[]> {
  // Each cast is read once, not for each character.
  const { rows } = await sql<{ full_name: string | null }>`
    with session as materialized (
      select started_at, cast_ids from session_assignments as assignment
      join simulation_sessions as session
        on session.organization_id = assignment.organization_id and session._id = assignment.session_id
      where assignment.organization_id = ${organization_id} and assignment.user_id = ${user_id}
        and session.ended_at is null and session.status <> 'cancelled'
    )
    select full_name from users
    where organization_id = ${organization_id} and is_bot
      and (exists (select from session where started_at is null)
        or _id::text in (select unnest(cast_ids) from session))`.execute(trx)
  return rows.flatMap(({ full_name }) => full_name ?? [])
}

export function updateUser(trx: AccessTransaction, user: StoredUser) {
  trx.changed.add(user._id)
  return trx
    .updateTable('users')
    .set({
      role: user.role,
      is_active: user.is_active,
      full_name: user.full_name,
      avatar_url: user.avatar_url,
      bio: user.bio,
      education: jsonb(user.education),
      certifications: jsonb(user.certifications),
      hobbies: jsonb(user.hobbies),
      career_goals: jsonb(user.career_goals),
      metadata: jsonb(user.metadata),
      updated_at: laterThan(user.updated_at),
    })
    .where('organization_id', '=', user.organization_id)
    .where('_id', '=', user._id)
    .returning(userColumns)
    .executeTakeFirstOrThrow()
}
