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

/** Deactivates all other active people of an organization, without guests. Returns their ids. */
export async function deactivateOthers(
  trx: AccessTransaction,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<string[]> {
  const rows = await trx
    .updateTable('users')
    .set({ is_active: false, updated_at: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .where('_id', '!=', user_id)
    .where('is_active', '=', true)
    .where('is_bot', '=', false)
    .where('guest_of', 'is', null)
    .returning('_id')
    .execute()
  for (const { _id } of rows) trx.changed.add(_id)
  return rows.map(({ _id }) => _id)
}
