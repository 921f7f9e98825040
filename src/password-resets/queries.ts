import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'
import type { OpaqueToken } from '../identity/opaque-token.js'

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
    .where('registry.email', '=', email.trim().toLowerCase())
    .where('is_active', '=', true)
    .where('is_bot', '=', false)
    .executeTakeFirst()
}

/** Makes a link the only one that resets the password of a user. */
export async function upsertReset(
  trx: Transaction<Database>,
  { user_id, expires_at }: { user_id: string; expires_at: string },
  { organization_id, hash: token_hash }: OpaqueToken,
): Promise<void> {
  await trx
    .insertInto('password_resets')
    .values({ organization_id, user_id, token_hash, expires_at })
    .onConflict((conflict) =>
      conflict.constraint('password_resets_primary_key').doUpdateSet((eb) => ({
        token_hash: eb.ref('excluded.token_hash'),
        created_at: sql<string>`now()`,
        expires_at: eb.ref('excluded.expires_at'),
      })),
    )
    .execute()
}

/** Uses up a link that has not expired; whose it is, if it is one and they are active. */
export function deleteReset(trx: Transaction<Database>, { organization_id, hash }: OpaqueToken) {
  return trx
    .deleteFrom('password_resets')
    .using('users')
    .where('password_resets.organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .where('expires_at', '>', sql<string>`now()`)
    .whereRef('users.organization_id', '=', 'password_resets.organization_id')
    .whereRef('users._id', '=', 'password_resets.user_id')
    .where('is_active', '=', true)
    .returning(['password_resets.organization_id', 'password_resets.user_id'])
    .executeTakeFirst()
}
