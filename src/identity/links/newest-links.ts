import { sql } from 'kysely'
import type { Db, Trx } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'
import type { OpaqueToken } from '../opaque-token.js'
import { formerLinkRefused, linkRefused, rememberLink } from './ended-links.js'

interface LinkOwner {
  organization_id: string
  user_id: string
}

/** A kind of links of which a user has one at a time. A newer link ends the older one. */
export type LinkKind = 'password_resets' | 'email_verifications'

// These queries are not in the folders of the operations, because setting a password also ends a link.

/** Makes a link the only one of its kind that works for a user. */
export async function upsertLink(
  trx: Trx,
  kind: LinkKind,
  { user_id, expires_at }: { user_id: string; expires_at: string },
  { organization_id, hash: token_hash }: OpaqueToken,
): Promise<void> {
  await endLink(trx, kind, { organization_id, user_id })
  await trx
    .insertInto(kind)
    .values({ organization_id, user_id, token_hash, expires_at })
    .onConflict((conflict) =>
      conflict.constraint(`${kind}_primary_key`).doUpdateSet((eb) => ({
        token_hash: eb.ref('excluded.token_hash'),
        created_at: eb.ref('excluded.created_at'),
        expires_at: eb.ref('excluded.expires_at'),
      })),
    )
    .execute()
}

/** The same, unless the older link expires after `replacedUntil`. Returns whether the new one works. */
export async function insertLink(
  trx: Trx,
  kind: LinkKind,
  { user_id, expires_at }: { user_id: string; expires_at: string },
  { organization_id, hash: token_hash }: OpaqueToken,
  replacedUntil: string,
): Promise<boolean> {
  const owner = { organization_id, user_id }
  await endLink(trx, kind, owner, replacedUntil)
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto(kind)
    .values({ ...owner, token_hash, expires_at })
    .onConflict((conflict) => conflict.constraint(`${kind}_primary_key`).doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

/** The owner of a link. Throws 422 if the link no longer works or the owner is inactive. */
export async function requireLink(db: Db, kind: LinkKind, token: OpaqueToken) {
  const link = await selectLink(db, kind, token)
  if (!link) throw await formerLinkRefused(db, token)
  const { is_expired, is_active, ...owner } = link
  if (is_expired) throw linkRefused('expired')
  if (!is_active) throw linkRefused('inactive')
  return owner
}

function selectLink(db: Db, kind: LinkKind, { organization_id, hash }: OpaqueToken) {
  return db
    .selectFrom(`${kind} as link`)
    .innerJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'link.organization_id')
        .onRef('users._id', '=', 'link.user_id'),
    )
    .select(['link.organization_id', 'link.user_id', 'is_active'])
    .select(sql<boolean>`expires_at <= now()`.as('is_expired'))
    .where('link.organization_id', '=', organization_id)
    .where('token_hash', '=', hash)
    .executeTakeFirst()
}

/** Uses up a link. Throws 422 if another request has used it in the meantime. */
export async function useLink(
  trx: Trx,
  kind: LinkKind,
  owner: LinkOwner,
  token: OpaqueToken,
): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom(kind)
    .where('organization_id', '=', token.organization_id)
    .where('token_hash', '=', token.hash)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw await formerLinkRefused(trx, token)
  await rememberLink(trx, owner, token.hash, 'used')
}

/** Ends the link of a user, if it expires by `until`, so that it does not work after a newer secret. */
export async function endLink(
  trx: Trx,
  kind: LinkKind,
  owner: LinkOwner,
  until = 'infinity',
): Promise<void> {
  for (const { token_hash } of await deleteLink[kind](trx, { ...owner, until })) {
    await rememberLink(trx, owner, token_hash, 'replaced')
  }
}

const prepareDelete = (kind: LinkKind) =>
  prepare(`delete_link_of_${kind}`, (db, owner: ParametersOf<LinkOwner & { until: string }>) =>
    db
      .deleteFrom(kind)
      .where('organization_id', '=', owner.organization_id)
      .where('user_id', '=', owner.user_id)
      .where('expires_at', '<=', owner.until)
      .returning('token_hash'),
  )

const deleteLink = {
  password_resets: prepareDelete('password_resets'),
  email_verifications: prepareDelete('email_verifications'),
}
