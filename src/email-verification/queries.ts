import { sql } from 'kysely'
import type { Db, Trx } from '../database/schema.js'
import { hasRegistrant, isRegistrant } from '../users/registrant-queries.js'

export interface UserKey {
  organization_id: string
  user_id: string
}

/**
 * A user's e-mail address, whether both they and their organization are verified, and whether they may get a
 * link: before the organization is verified, only the person who registered it may, or any admin once that person
 * is none.
 */
export function selectPerson(db: Db, { organization_id, user_id }: UserKey) {
  return db
    .selectFrom('users')
    .innerJoin('organizations', 'organizations._id', 'users.organization_id')
    .select('email')
    .select(
      sql<boolean>`email_verified_at is not null and verified_at is not null`.as('is_verified'),
    )
    .select(
      sql<boolean>`(verified_at is not null or ${isRegistrant} or not ${hasRegistrant})`.as(
        'may_verify',
      ),
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
