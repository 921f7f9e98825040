import type { Trx } from '../database/schema.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { deleteSeats, endSeats, expireSeats, lockRefreshTokens } from '../identity/seats.js'
import { deactivateGuests, deleteGuests } from '../users/guest-queries.js'
import { movedBy } from './clock/clock.js'
import { openAfterEndMs } from './lifecycle.js'
import type { LockedSession } from './queries.js'

/**
 * Closes the seats of a session that ends: its guests become inactive, and devices with a seat can read
 * and rate for one more hour.
 */
export async function closeSeats(
  trx: Trx,
  { organization_id, _id: session_id, now }: LockedSession,
): Promise<void> {
  const key = { organization_id, session_id }
  // In the order of other changes of users, so that they do not deadlock.
  await deactivateGuests(trx, key)
  await expireSeats(trx, key, movedBy(now, openAfterEndMs))
}

/** Ends the seat and the link of a participant who is removed, also for the case that they come back. */
export async function revokeSeat(
  trx: AccessTransaction,
  { organization_id, now: revoked_at }: LockedSession,
  { _id: assignment_id, user_id }: { _id: string; user_id: string },
): Promise<void> {
  await endSeats(trx, organization_id, [{ user_id, assignment_id }])
  await trx
    .updateTable('seat_links')
    .set({ revoked_at })
    .where('organization_id', '=', organization_id)
    .where('assignment_id', '=', assignment_id)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Ends the seats of places that are deleted, and deletes those of their users who are guests. */
export async function removeSeats(
  trx: Trx,
  organization_id: string,
  places: { _id: string; user_id: string }[],
): Promise<void> {
  const assignment_ids = places.map(({ _id }) => _id)
  const user_ids = places.map(({ user_id }) => user_id)
  // In the order of refreshes and of changes of users, so that they do not deadlock.
  await lockRefreshTokens(trx, organization_id, assignment_ids)
  await deleteGuests(trx, organization_id, user_ids)
  await deleteSeats(trx, organization_id, assignment_ids)
}
