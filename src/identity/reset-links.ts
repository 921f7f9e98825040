import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'
import type { OpaqueToken } from './opaque-token.js'

/** Makes a link the only one that resets the password of a user. */
export async function upsertResetLink(
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
export function useResetLink(trx: Transaction<Database>, { organization_id, hash }: OpaqueToken) {
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

/** A link from before must not open what a newer secret has closed. */
export async function deleteResetLink(
  trx: Transaction<Database>,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<void> {
  await trx
    .deleteFrom('password_resets')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .execute()
}
