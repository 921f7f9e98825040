import { sql } from 'kysely'
import type { Db, Trx } from '../database/schema.js'

interface UserKey {
  organization_id: string
  user_id: string
}

/** A user's e-mail address, and whether nothing is left to verify: not for them, nor for the organization. */
export function selectAddress(db: Db, { organization_id, user_id }: UserKey) {
  return db
    .selectFrom('users')
    .innerJoin('organizations', 'organizations._id', 'users.organization_id')
    .select('email')
    .select(
      sql<boolean>`email_verified_at is not null and verified_at is not null`.as('is_verified'),
    )
    .where('users.organization_id', '=', organization_id)
    .where('users._id', '=', user_id)
    .executeTakeFirstOrThrow()
}

/** Returns whether the user's address was not verified before. */
export async function updateUserVerified(trx: Trx, owner: UserKey): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set({ email_verified_at: sql<string>`now()` })
    .where('organization_id', '=', owner.organization_id)
    .where('_id', '=', owner.user_id)
    .where('email_verified_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Lets the organization of a verified admin send letters. Returns whether it did not before. */
export async function updateOrganizationVerified(trx: Trx, owner: UserKey): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('organizations')
    .set({ verified_at: sql<string>`now()` })
    .where('_id', '=', owner.organization_id)
    .where('verified_at', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('users')
          .select('users._id')
          .where('users.organization_id', '=', owner.organization_id)
          .where('users._id', '=', owner.user_id)
          .where('role', '=', 'admin'),
      ),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
