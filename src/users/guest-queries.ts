import type { Db, Trx } from '../database/schema.js'
import { createId } from '../formats/identifiers.js'
import { insertUsers } from './queries.js'

interface OfSession {
  organization_id: string
  session_id: string
}

/** Whether a user is a guest of a session. */
export async function isGuest(db: Db, organization_id: string, user_id: string): Promise<boolean> {
  const guest = await db
    .selectFrom('users')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where('_id', '=', user_id)
    .where('guest_of', 'is not', null)
    .executeTakeFirst()
  return guest !== undefined
}

/** The names of the guests of a session. */
export async function selectGuestNames(
  db: Db,
  { organization_id, session_id }: OfSession,
): Promise<Set<string | null>> {
  const rows = await db
    .selectFrom('users')
    .select('full_name')
    .where('organization_id', '=', organization_id)
    .where('guest_of', '=', session_id)
    .execute()
  return new Set(rows.map(({ full_name }) => full_name))
}

/**
 * Inserts guests of a session, and returns their ids. They have no password, and their e-mail address is
 * not registered, so no one can log in as a guest or ask for a link to a new password.
 */
export async function insertGuests(
  trx: Trx,
  { organization_id, session_id: guest_of }: OfSession,
  names: string[],
): Promise<string[]> {
  if (names.length === 0) return []
  const guests = names.map((full_name) => {
    const _id = createId()
    const username = `guest-${_id}`
    const email = `${username}@guest.invalid`
    return { organization_id, _id, username, email, full_name, role: 'employee', guest_of } as const
  })
  await insertUsers(trx, guests)
  return guests.map(({ _id }) => _id)
}

/** Stores the name that a guest has chosen. */
export async function nameGuest(
  trx: Trx,
  { organization_id, user_id }: { organization_id: string; user_id: string },
  full_name: string,
): Promise<void> {
  await trx
    .updateTable('users')
    .set({ full_name })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', user_id)
    .where('guest_of', 'is not', null)
    .execute()
}

/** Makes the guests of a session inactive. */
export async function deactivateGuests(
  trx: Trx,
  { organization_id, session_id }: OfSession,
): Promise<void> {
  await trx
    .updateTable('users')
    .set({ is_active: false })
    .where('organization_id', '=', organization_id)
    .where('guest_of', '=', session_id)
    .execute()
}

/**
 * Deletes those of the users who are guests. No cached access has to be invalidated: without a place, the
 * token of a seat finds no session.
 */
export async function deleteGuests(
  trx: Trx,
  organization_id: string,
  user_ids: string[],
): Promise<void> {
  if (user_ids.length === 0) return
  await trx
    .deleteFrom('users')
    .where('organization_id', '=', organization_id)
    .where('_id', 'in', user_ids)
    .where('guest_of', 'is not', null)
    .execute()
}
