import { sql } from 'kysely'
import type { Db, Trx } from '../database/schema.js'
import { normalizeEmail, storedForms } from '../identity/email.js'

export interface Holder {
  organization_id: string
  user_id: string
}

/** Reserves an address for a person. Returns false if another person has it. */
export async function insertFreeEmail(trx: Trx, email: string, holder: Holder): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('email_registry')
    .values({ ...holder, email: normalizeEmail(email) })
    .onConflict((conflict) => conflict.constraint('email_registry_email_unique').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

/** The person who has an address. */
export const selectHolder = (db: Db, email: string) =>
  db
    .selectFrom('email_registry')
    .select(['organization_id', 'user_id'])
    .where('email', '=', normalizeEmail(email))
    .executeTakeFirst()

/** Locks the open invitation of a person who has never logged in. Returns whether there is one. */
export async function lockUnusedInvitation(
  trx: Trx,
  { organization_id, user_id }: Holder,
): Promise<boolean> {
  const invitation = await trx
    .selectFrom('invitations')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('login_sessions')
            .select('login_sessions._id')
            .whereRef('login_sessions.organization_id', '=', 'invitations.organization_id')
            .whereRef('login_sessions.user_id', '=', 'invitations.user_id'),
        ),
      ),
    )
    .forUpdate()
    .executeTakeFirst()
  return invitation !== undefined
}

/** Gives an address to a registrant, and stores who was invited with it. Returns false if someone else has it now. */
export async function updateHolder(
  trx: Trx,
  email: string,
  { from, to }: { from: Holder; to: Holder },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('email_registry')
    .set({ ...to, invited_organization_id: from.organization_id, invited_user_id: from.user_id })
    .where('email', '=', normalizeEmail(email))
    .where('user_id', '=', from.user_id)
    .where('invited_user_id', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Who has the address of a user, and who was invited with it: an entry for each of its stored forms. */
export async function selectEntriesOf(db: Db, { organization_id, user_id }: Holder) {
  const { email } = await db
    .selectFrom('users')
    .select('email')
    .where('organization_id', '=', organization_id)
    .where('_id', '=', user_id)
    .executeTakeFirstOrThrow()
  return db
    .selectFrom('email_registry')
    .select(['email', 'user_id', 'invited_organization_id', 'invited_user_id'])
    .where('email', 'in', storedForms(email))
    .execute()
}

/** Leaves an address to one of the two people of its entry. Returns false if the other one already has it. */
export async function settleHolder(trx: Trx, email: string, proven: Holder): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('email_registry')
    .set({ ...proven, invited_organization_id: null, invited_user_id: null })
    .where('email', '=', email)
    .where(sql<boolean>`${proven.user_id} in (user_id, invited_user_id)`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Whether a person has logged in, or joined a session by a link to their place. */
export async function hasTakenPart(
  trx: Trx,
  { organization_id, user_id }: Holder,
): Promise<boolean> {
  const { rows } = await sql<{ has_taken_part: boolean }>`
    select exists (
      select from login_sessions
      where organization_id = ${organization_id} and user_id = ${user_id}
    ) or exists (
      select from session_assignments
      where organization_id = ${organization_id} and user_id = ${user_id} and joined_at is not null
    ) as has_taken_part`.execute(trx)
  return rows[0]?.has_taken_part === true
}

/** Revokes the open invitation of a person. Returns nothing if there is none. */
export const revokeInvitationOf = (trx: Trx, { organization_id, user_id }: Holder) =>
  trx
    .updateTable('invitations')
    .set({ revoked_at: sql<string>`now()` })
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning('_id')
    .executeTakeFirst()
