import { sql } from 'kysely'
import type { Role } from '../contract.js'
import type { Trx } from '../database/schema.js'
import type { LoginSessionTable } from '../database/tables/people.js'
import type { AccessTransaction } from './access-changes.js'

/** The place in a session to which a login session is bound. */
export interface Seat {
  session_id: string
  assignment_id: string
}

/**
 * The role of a login session: that of its user, but always `employee` in a seat. The link of a seat may
 * be on paper, so it must not give the power of a higher role.
 */
export const roleOfLogin = sql<Role>`case
  when login_sessions.assignment_id is null then users.role else 'employee' end`

/**
 * Whether the user of a login session is active. A guest is inactive after the end of their session, but
 * can still use the seat until it expires.
 */
export const mayUseLogin = sql<boolean>`(
  users.is_active or users.guest_of = login_sessions.simulation_session_id)`

/** Ends the access of the devices that have taken some places. */
export async function endSeats(
  trx: AccessTransaction,
  organization_id: string,
  holders: { user_id: string; assignment_id: string }[],
  ended_as: LoginSessionTable['ended_as'] = null,
): Promise<void> {
  if (holders.length === 0) return
  const assignment_ids = holders.map(({ assignment_id }) => assignment_id)
  for (const { user_id } of holders) trx.changed.add(user_id)
  await trx
    .updateTable('login_sessions')
    .set({ ended_at: sql<string>`now()`, ended_as })
    .where('organization_id', '=', organization_id)
    .where('assignment_id', 'in', assignment_ids)
    .where('ended_at', 'is', null)
    .execute()
}

/** Locks the refresh tokens of seats: a refresh locks its token first, and then its login session. */
export async function lockRefreshTokens(
  trx: Trx,
  organization_id: string,
  assignment_ids: string[],
): Promise<void> {
  if (assignment_ids.length === 0) return
  const seats = trx
    .selectFrom('login_sessions')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where('assignment_id', 'in', assignment_ids)
  await trx
    .selectFrom('refresh_tokens')
    .select('token_hash')
    .where('organization_id', '=', organization_id)
    .where('session_id', 'in', seats)
    .forUpdate()
    .execute()
}

/** Deletes the login sessions of places that are deleted. */
export async function deleteSeats(
  trx: Trx,
  organization_id: string,
  assignment_ids: string[],
): Promise<void> {
  if (assignment_ids.length === 0) return
  await trx
    .deleteFrom('login_sessions')
    .where('organization_id', '=', organization_id)
    .where('assignment_id', 'in', assignment_ids)
    .execute()
}

/** Lets all seats of a session expire at a time, unless they expire before it. */
export async function expireSeats(
  trx: Trx,
  { organization_id, session_id }: { organization_id: string; session_id: string },
  expires_at: string,
): Promise<void> {
  await trx
    .updateTable('login_sessions')
    .set({ expires_at: sql<string>`least(expires_at, ${expires_at}::timestamptz)` })
    .where('organization_id', '=', organization_id)
    .where('simulation_session_id', '=', session_id)
    .where('ended_at', 'is', null)
    .execute()
}
