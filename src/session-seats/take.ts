import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Db } from '../database/schema.js'
import { seatTaken, sessionEnded } from '../errors.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { type LinkState, linkRefused, selectEndedAs } from '../identity/links/ended-links.js'
import { startLoginSession } from '../identity/login-sessions/login-sessions.js'
import type { OpaqueToken } from '../identity/opaque-token.js'
import { endSeats } from '../identity/seats.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import { selectSessionForUpdate } from '../simulation-sessions/queries.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import { selectSeatByToken, updateSeatLink } from './queries.js'

type Request = Pick<FastifyRequest, 'id' | 'caller' | 'server'> & { body: Schema<'SeatRequest'> }
type Seat = NonNullable<Awaited<ReturnType<typeof selectSeatByToken>>>

/** The place of a link; undefined if the link is unknown. Throws 422 if it was replaced. */
export async function findSeat(db: Db, token: OpaqueToken): Promise<Seat | undefined> {
  const seat = await selectSeatByToken(db, token)
  if (!seat && (await selectEndedAs(db, token))) throw refused('replaced')
  return seat
}

/** Lets a new device take the place of a link, and ends the access of the earlier device. */
export async function take(
  trx: AccessTransaction,
  request: Request,
  found: { token: OpaqueToken; seat: Seat },
): Promise<Schema<'SeatGrant'>> {
  const { organization_id, session_id, assignment_id } = found.seat
  // Locks the session first, as making and revoking links does, so that they cannot deadlock.
  const session = await selectSessionForUpdate(trx, { organization_id, _id: session_id })
  const seat = await selectSeatByToken(trx, found.token, { lock: 'update' })
  if (!session || !seat) throw refused('replaced')
  if (seat.revoked_at !== null || seat.removed_at !== null) throw refused('revoked')
  // Guests become inactive at the end, so this comes first.
  if (hasEnded(session.status)) throw sessionEnded(session.status)
  if (!seat.is_active) throw refused('inactive')
  if (request.body.take_over === false) requireFree(seat)

  const { user_id, username, is_guest } = seat
  await endSeats(trx, organization_id, [{ user_id, assignment_id }], 'seat_taken_over')
  await updateSeatLink(trx, { organization_id, assignment_id }, { taken_at: session.now })
  const user = { _id: user_id, organization_id, username, role: 'employee' } as const
  const grant = await startLoginSession(trx, request.server, user, { session_id, assignment_id })
  const event = sessionEvent(session, 'seat_taken', { metadata: { assignment_id } })
  await recordAuditEvents(trx, request, [{ ...event, actor_id: user_id }])
  return { ...grant, session_id, assignment_id, is_guest }
}

/** Refuses a taken place: the page then asks its reader first. */
function requireFree({ session_id, user_id, full_name, taken_at, joined_at }: Seat): void {
  if (taken_at === null && joined_at === null) return
  throw seatTaken({ session_id, user_id, display_name: joined_at && full_name })
}

export const refused = (state: LinkState) => linkRefused(state, 'seat_token')
