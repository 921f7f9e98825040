import { sql } from 'kysely'
import type { Db, Trx } from '../database/schema.js'
import { type ParametersOf, prepare } from '../database/statements.js'
import type { AccessTransaction } from './access-changes.js'
import { endLink } from './links/newest-links.js'

interface Credential {
  organization_id: string
  user_id: string
  password_hash: string
  is_temporary: boolean
  expires_at: string | null
}

type NewCredential = Pick<Credential, 'organization_id' | 'user_id' | 'password_hash'> &
  Partial<Credential>

/** Sets the password of a user: a permanent one, or a temporary one that expires. */
export async function setPassword(trx: AccessTransaction, given: NewCredential): Promise<void> {
  const { organization_id, user_id, password_hash, is_temporary = false, expires_at = null } = given
  const owner = { organization_id, user_id }
  trx.changed.add(user_id)
  await endLink(trx, 'password_resets', owner)
  await upsertCredential(trx, { ...owner, password_hash, is_temporary, expires_at })
}

/** The first password of a new user. */
export const credentialInsert = (
  db: Db,
  {
    organization_id,
    user_id,
    password_hash,
  }: ParametersOf<Pick<Credential, 'organization_id' | 'user_id' | 'password_hash'>>,
) => db.insertInto('credentials').values({ organization_id, user_id, password_hash })

const upsertCredential = prepare('upsert_credential', (db, credential: ParametersOf<Credential>) =>
  db
    .insertInto('credentials')
    .values(credential)
    .onConflict((conflict) =>
      conflict.constraint('credentials_primary_key').doUpdateSet((eb) => ({
        password_hash: eb.ref('excluded.password_hash'),
        is_temporary: eb.ref('excluded.is_temporary'),
        expires_at: eb.ref('excluded.expires_at'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    ),
)

/** Whether a user still has the password that the person who invited them knows. */
export async function hasTemporaryPassword(
  db: Db,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<boolean> {
  const temporary = await db
    .selectFrom('credentials')
    .select('user_id')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('is_temporary', '=', true)
    .executeTakeFirst()
  return temporary !== undefined
}

export async function removePassword(
  trx: AccessTransaction,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<void> {
  trx.changed.add(user_id)
  await endLink(trx, 'password_resets', { organization_id, user_id })
  await trx
    .deleteFrom('credentials')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .execute()
}

/** Stores a new hash of the same password. Does not change access. */
export async function updatePasswordHash(
  trx: Trx,
  account: { organization_id: string; _id: string },
  password_hash: string,
): Promise<void> {
  await trx
    .updateTable('credentials')
    .set({ password_hash, updated_at: sql<string>`now()` })
    .where('organization_id', '=', account.organization_id)
    .where('user_id', '=', account._id)
    .execute()
}
