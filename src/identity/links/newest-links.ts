import { sql } from 'kysely'
import type { Db, Trx } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import type { OpaqueToken } from '../opaque-token.js'
import { formerLinkRefused, linkRefused, rememberLink } from './ended-links.js'

interface LinkOwner {
  organization_id: string
  user_id: string
}

// These queries are not in `password-resets`, because setting a password also ends its link.

/** Makes a link the only one that resets the password of a user. */
export async function upsertResetLink(
  trx: Trx,
  { user_id, expires_at }: { user_id: string; expires_at: string },
  { organization_id, hash: token_hash }: OpaqueToken,
): Promise<void> {
  await endResetLink(trx, { organization_id, user_id })
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

/** The owner of a link. Throws 422 if the link no longer works or the owner is inactive. */
export async function requireResetLink(db: Db, token: OpaqueToken) {
  const link = await selectResetLink(db, token)
  if (!link) throw await formerLinkRefused(db, token)
  const { is_expired, is_active, ...owner } = link
  if (is_expired) throw linkRefused('expired')
  if (!is_active) throw linkRefused('inactive')
  return owner
}

function selectResetLink(db: Db, { organization_id, hash }: OpaqueToken) {
  return db
    .selectFrom('password_resets')
    .innerJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'password_resets.organization_id')
        .onRef('users._id', '=', 'password_resets.user_id'),
    )
    .select(['password_resets.organization_id', 'password_resets.user_id', 'is_active'])
    .select(sql<boolean>`expires_at <= now()`.as('is_expired'))
    .where('password_resets.organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .executeTakeFirst()
}

/** Uses up a link. Throws 422 if another request has used it in the meantime. */
export async function useResetLink(trx: Trx, owner: LinkOwner, token: OpaqueToken): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('password_resets')
    .where('organization_id', '=', token.organization_id)
    .where('token_hash', '=', token.hash)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw await formerLinkRefused(trx, token)
  await rememberLink(trx, owner, token.hash, 'used')
}

/** Ends the link of a user, so that it does not work after a newer secret. */
export async function endResetLink(trx: Trx, owner: LinkOwner): Promise<void> {
  for (const { token_hash } of await deleteResetLink(trx, owner)) {
    await rememberLink(trx, owner, token_hash, 'replaced')
  }
}

const deleteResetLink = prepare('delete_reset_link', (db, owner: ParametersOf<LinkOwner>) =>
  db
    .deleteFrom('password_resets')
    .where('organization_id', '=', owner.organization_id)
    .where('user_id', '=', owner.user_id)
    .returning('token_hash'),
)
