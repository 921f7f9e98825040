import { sql } from 'kysely'
import type { Db } from '../database/schema.js'

/** Whether a user has registered their organization, and is its admin: everyone else was invited. */
export const isRegistrant = registrantIn('users')

function registrantIn(users: string) {
  const column = (name: string) => sql.ref(`${users}.${name}`)
  return sql<boolean>`(${column('role')} = 'admin' and ${column('is_active')} and not exists (
    select from invitations
    where invitations.organization_id = ${column('organization_id')}
      and invitations.user_id = ${column('_id')}))`
}

/** Whether the organization of a user has a registrant. */
export const hasRegistrant = sql<boolean>`exists (select from users as registrant
  where registrant.organization_id = users.organization_id and ${registrantIn('registrant')})`

/**
 * Whether a user has registered an organization that is not verified yet, and has got a link to verify it.
 * Organizations from before mail was set up got no link, and may have many people.
 */
export async function isUnverifiedRegistrant(
  db: Db,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<boolean> {
  const registrant = await db
    .selectFrom('users')
    .innerJoin('organizations', 'organizations._id', 'users.organization_id')
    .innerJoin('email_verifications as link', (join) =>
      join
        .onRef('link.organization_id', '=', 'users.organization_id')
        .onRef('link.user_id', '=', 'users._id'),
    )
    .select('users._id')
    .where('users.organization_id', '=', organization_id)
    .where('users._id', '=', user_id)
    .where('verified_at', 'is', null)
    .where(isRegistrant)
    .executeTakeFirst()
  return registrant !== undefined
}
