import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import type { OpaqueToken } from './opaque-token.js'

// Here and not with the operations of the tag: whoever sets a password closes its link.

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
        created_at: eb.ref('excluded.created_at'),
        expires_at: eb.ref('excluded.expires_at'),
      })),
    )
    .execute()
}

/** Whose link it is, if it is one that has not expired and they are active. */
export function selectResetLink(
  trx: Transaction<Database>,
  { organization_id, hash }: OpaqueToken,
) {
  return trx
    .selectFrom('password_resets')
    .innerJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'password_resets.organization_id')
        .onRef('users._id', '=', 'password_resets.user_id'),
    )
    .select(['password_resets.organization_id', 'password_resets.user_id'])
    .where('password_resets.organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .where('expires_at', '>', sql<string>`now()`)
    .where('is_active', '=', true)
    .executeTakeFirst()
}

/** Uses up a link. Whether it still was one: somebody else may have used it meanwhile. */
export async function useResetLink(
  trx: Transaction<Database>,
  { organization_id, hash }: OpaqueToken,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('password_resets')
    .where('organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** A link from before must not open what a newer secret has closed. */
export const deleteResetLink = prepare(
  'delete_reset_link',
  (db, owner: ParametersOf<{ organization_id: string; user_id: string }>) =>
    db
      .deleteFrom('password_resets')
      .where('organization_id', '=', owner.organization_id)
      .where('user_id', '=', owner.user_id),
)
