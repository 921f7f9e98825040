import { sql } from 'kysely'
import { NIL } from 'uuid'
import { jsonObject, jsonOf } from '../database/expressions.js'
import type { Db, Trx } from '../database/schema.js'
import { inScope } from '../database/scope.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import { invalidToken } from '../errors.js'
import { createId } from '../formats/identifiers.js'
import { insertOrganization, organizationObject } from '../organizations/queries.js'
import { selectOwnerOfEmail, userColumns } from '../users/queries.js'

interface AccountKey {
  organization_id: string
  user_id: string
}

const noAccount: AccountKey = { organization_id: NIL, user_id: NIL }

/**
 * The people who may log in with an address: its owner, and until the owner has proven it, also a person who
 * was invited with it before. For an unknown address, one without an account, so that the time does not
 * reveal it.
 */
export async function selectOwners(db: Db, email: string): Promise<AccountKey[]> {
  const entry = await selectOwnerOfEmail(db, email)
  if (!entry) return [noAccount]
  const { invited_organization_id: organization_id, invited_user_id: user_id } = entry
  return organization_id && user_id ? [entry, { organization_id, user_id }] : [entry]
}

/** The account of a person, with the columns that a login needs. */
export function selectAccount(db: Db, { organization_id, user_id }: AccountKey) {
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
 * Locks the credential that a password was verified against. Returns whether it is still valid: it
 * may have been reset, or the user deactivated, in the meantime.
 */
export async function lockVerified(
  trx: Trx,
  verified: AccountKey & { password_hash: string | null },
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

/** A user and their organization, as the JSON text of the contract's CurrentUser. */
export const selectCurrentUser = prepare(
  'select_current_user',
  (
    db,
    { organization_id, user_id, has_mail }: ParametersOf<AccountKey & { has_mail: boolean }>,
  ) => {
    const user = jsonObject('users', userColumns)
    const email_verified = sql<boolean>`email_verified_at is not null`
    const mail_awaits_verification = sql<boolean>`${has_mail} and verified_at is null`
    const organization = organizationObject
    const body = { user, organization, email_verified, mail_awaits_verification }
    return db
      .selectFrom('users')
      .innerJoin('organizations', 'organizations._id', 'users.organization_id')
      .innerJoin('brandings', 'brandings.organization_id', 'users.organization_id')
      .select(sql<string>`${jsonOf(body)}::text`.as('json'))
      .where('users.organization_id', '=', organization_id)
      .where('users._id', '=', user_id)
  },
)

/** The e-mail address and the password hash of a user. The hash is null without a password. */
export function selectPassword(db: Db, { organization_id, user_id }: AccountKey) {
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
    .executeTakeFirstOrThrow(invalidToken)
}

/** The organization of the super administrators. Creates one if there is none. */
export async function selectOrInsertHome(trx: Trx, name: string): Promise<string> {
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
