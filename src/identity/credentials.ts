import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'
import type { AccessTransaction } from './access-changes.js'
import { deleteResetLink } from './reset-links.js'

type Credential = Insertable<Database['credentials']>

/** Sets the password of a user: their own, or a temporary one that expires. */
export async function setPassword(trx: AccessTransaction, credential: Credential): Promise<void> {
  trx.changed.add(credential.user_id)
  const { is_temporary = false, expires_at = null, ...owner } = credential
  await deleteResetLink(trx, owner)
  await trx
    .insertInto('credentials')
    .values({ ...owner, is_temporary, expires_at })
    .onConflict((conflict) =>
      conflict.constraint('credentials_primary_key').doUpdateSet((eb) => ({
        password_hash: eb.ref('excluded.password_hash'),
        is_temporary: eb.ref('excluded.is_temporary'),
        expires_at: eb.ref('excluded.expires_at'),
        updated_at: sql<string>`now()`,
      })),
    )
    .execute()
}

export async function removePassword(
  trx: AccessTransaction,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<void> {
  trx.changed.add(user_id)
  await deleteResetLink(trx, { organization_id, user_id })
  await trx
    .deleteFrom('credentials')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .execute()
}
