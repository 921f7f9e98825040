import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import { NIL } from 'uuid'
import type { Database } from '../database/schema.js'
import { inScope } from '../database/scope.js'
import { createId } from '../identifiers.js'
import { insertOrganization } from '../organizations/queries.js'
import { selectOwnerOfEmail } from '../users/queries.js'

interface Owner {
  organization_id: string
  user_id: string
}

const nobody: Owner = { organization_id: NIL, user_id: NIL }

/** The account behind an e-mail address, with what a login needs to know of it. */
export async function selectAccount(db: Kysely<Database>, email: string) {
  // Whoever asks for an address that nobody has waits as long as for one that somebody has.
  const { organization_id, user_id } = (await selectOwnerOfEmail(db, email)) ?? nobody
  return db
    .selectFrom('users')
    .innerJoin('credentials', (join) =>
      join
        .onRef('credentials.organization_id', '=', 'users.organization_id')
        .onRef('credentials.user_id', '=', 'users._id'),
    )
    .select(['users._id', 'users.organization_id', 'users.username', 'users.role'])
    .select(['users.is_active', 'credentials.password_hash'])
    .select(sql<boolean>`coalesce(credentials.expires_at <= now(), false)`.as('has_expired'))
    .where('users.organization_id', '=', organization_id)
    .where('users._id', '=', user_id)
    .executeTakeFirst()
}

/**
 * Locks the credential that a password was verified against. Whether it still is the one: a reset
 * or a deactivation may have come in between.
 */
export async function lockVerified(
  trx: Transaction<Database>,
  verified: Owner & { password_hash: string | null },
): Promise<boolean> {
  const row = await trx
    .selectFrom('credentials')
    .innerJoin('users', (join) =>
      join
        .onRef('users.organization_id', '=', 'credentials.organization_id')
        .onRef('users._id', '=', 'credentials.user_id'),
    )
    .select('user_id')
    .where('credentials.organization_id', '=', verified.organization_id)
    .where('user_id', '=', verified.user_id)
    .where('password_hash', '=', verified.password_hash)
    .where('is_active', '=', true)
    .forUpdate('credentials')
    .forShare('users')
    .executeTakeFirst()
  return row !== undefined
}

/** The password of a user, null when they have none, and whose login it is. */
export function selectPassword(db: Kysely<Database>, { organization_id, user_id }: Owner) {
  return db
    .selectFrom('users')
    .leftJoin('credentials', (join) =>
      join
        .onRef('credentials.organization_id', '=', 'users.organization_id')
        .onRef('credentials.user_id', '=', 'users._id'),
    )
    .select(['email', 'password_hash'])
    .where('users.organization_id', '=', organization_id)
    .where('users._id', '=', user_id)
    .executeTakeFirstOrThrow()
}

/** The organization of the super administrators, made when there is none yet. */
export async function selectOrInsertHome(
  trx: Transaction<Database>,
  name: string,
): Promise<string> {
  const other = await inScope(trx.selectFrom('users'), 'users', 'every organization')
    .select('organization_id')
    .where('role', '=', 'super_admin')
    .orderBy('_id')
    .limit(1)
    .executeTakeFirst()
  if (other) return other.organization_id
  const _id = createId()
  await insertOrganization(trx, { _id, name })
  return _id
}
