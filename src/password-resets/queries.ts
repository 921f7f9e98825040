import { sql } from 'kysely'
import type { Db } from '../database/schema.js'
import { selectOwnerOfEmail } from '../users/queries.js'
import { isRegistrant } from '../users/registrant-queries.js'

/** The active person with an e-mail address, with the branding of their organization. */
export async function selectPerson(db: Db, email: string) {
  const owner = await selectOwnerOfEmail(db, email)
  if (!owner) return undefined
  return db
    .selectFrom('users')
    .innerJoin('organizations', 'organizations._id', 'users.organization_id')
    .innerJoin('brandings', 'brandings.organization_id', 'users.organization_id')
    .select(['users.organization_id', 'users._id as user_id', 'users.email', 'users.full_name'])
    .select(['organizations.name', 'company_name', 'logo_url', 'primary_color'])
    .select(sql<boolean>`verified_at is not null`.as('is_verified'))
    .select(isRegistrant.as('is_registrant'))
    .where('users.organization_id', '=', owner.organization_id)
    .where('users._id', '=', owner.user_id)
    .where('is_active', '=', true)
    .where('is_bot', '=', false)
    .executeTakeFirst()
}

export type Person = NonNullable<Awaited<ReturnType<typeof selectPerson>>>

/** Whether a user has a link that expires after a time. */
export async function hasLinkAfter(
  db: Db,
  { organization_id, user_id }: Pick<Person, 'organization_id' | 'user_id'>,
  time: string,
): Promise<boolean> {
  const link = await db
    .selectFrom('password_resets')
    .select('user_id')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('expires_at', '>', time)
    .executeTakeFirst()
  return link !== undefined
}
