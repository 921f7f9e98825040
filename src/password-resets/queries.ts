import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { normalizeEmail } from '../identity/email.js'

/** The active person behind an e-mail address, with the look of their organization. */
export function selectPerson(db: Kysely<Database>, email: string) {
  return db
    .selectFrom('email_registry as registry')
    .innerJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'registry.organization_id')
        .onRef('users._id', '=', 'registry.user_id'),
    )
    .innerJoin('organizations', 'organizations._id', 'users.organization_id')
    .innerJoin('brandings', 'brandings.organization_id', 'users.organization_id')
    .select(['users.organization_id', 'users._id as user_id', 'users.email', 'users.full_name'])
    .select(['organizations.name', 'company_name', 'logo_url', 'primary_color'])
    .where('registry.email', '=', normalizeEmail(email))
    .where('is_active', '=', true)
    .where('is_bot', '=', false)
    .executeTakeFirst()
}
