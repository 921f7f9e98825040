import { sql } from 'kysely'
import type { Db } from '../database/schema.js'

/** Whether a user has registered their organization: everyone else was invited, or is a bot or a guest. */
export const isRegistrant = sql<boolean>`(not users.is_bot and users.guest_of is null and not exists (
  select from invitations
  where invitations.organization_id = users.organization_id and invitations.user_id = users._id))`

/** Whether a user has registered an organization that is not verified yet. */
export async function isUnverifiedRegistrant(
  db: Db,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<boolean> {
  const registrant = await db
    .selectFrom('users')
    .innerJoin('organizations', 'organizations._id', 'users.organization_id')
    .select('users._id')
    .where('users.organization_id', '=', organization_id)
    .where('users._id', '=', user_id)
    .where('verified_at', 'is', null)
    .where(isRegistrant)
    .executeTakeFirst()
  return registrant !== undefined
}
