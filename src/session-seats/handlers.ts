import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler, Schema } from '../contract.js'
import { seatLinkNotFound, sessionEnded } from '../errors.js'
import { isId } from '../formats/identifiers.js'
import { attemptFrom } from '../identity/attempts/attempts.js'
import { addressOfLink } from '../identity/links/address.js'
import { readOpaqueToken } from '../identity/opaque-token.js'
import { endSeats } from '../identity/seats.js'
import { lockTeam } from '../session-participants/change-team.js'
import { findSession, lockSession } from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import { addressOfPages, qrCodeOf } from './link.js'
import { replaceLinks } from './new-links.js'
import * as queries from './queries.js'
import { placesWithoutLink, wantedPlaces } from './seats.js'
import { findSeat, refused, take } from './take.js'

export const createSeatLinks: Handler<'createSeatLinks'> = async (request) => {
  const { body, db, server } = request
  const address = addressOfPages(request)
  const created = await server.authenticator.transaction(db, async (trx) => {
    const team = await lockTeam(trx, request)
    const { status } = team.session
    if (hasEnded(status)) throw sessionEnded(status)
    const places = body?.seats
      ? await wantedPlaces(trx, request, team, body.seats)
      : await placesWithoutLink(trx, team)
    return replaceLinks(trx, request, team, places)
  })
  server.sessionStreams.checkAccess()
  const links: Schema<'NewSeatLink'>[] = []
  for (const { secret, ...link } of created) {
    const url = addressOfLink(address, 'play', secret)
    links.push({ ...link, url, qr_svg: qrCodeOf(url) })
    await request.pause()
  }
  return links
}

export const listSeatLinks: Handler<'listSeatLinks'> = async (request) => {
  const { session } = await findSession(request)
  const { organization_id, _id: session_id } = session
  return queries.selectSeatLinks(request.db, { organization_id, session_id })
}

export const revokeSeatLink: Handler<'revokeSeatLink'> = async (request) => {
  const { db, params, server } = request
  const { assignment_id } = params
  await server.authenticator.transaction(db, async (trx) => {
    const { session } = await lockSession(trx, request, 'for a moment')
    const { organization_id, _id: session_id, now: revoked_at } = session
    const key = { organization_id, session_id }
    const [link] = isId(assignment_id) ? await queries.selectHolders(trx, key, [assignment_id]) : []
    if (!link) throw seatLinkNotFound()
    if (link.revoked_at !== null) return
    await endSeats(trx, organization_id, [link])
    await queries.updateSeatLink(trx, { organization_id, assignment_id }, { revoked_at })
    const event = sessionEvent(session, 'seat_link_revoked', { metadata: { assignment_id } })
    await recordAuditEvents(trx, request, [event])
  })
  server.sessionStreams.checkAccess()
}

export const takeSeat: Handler<'takeSeat'> = async (request) => {
  const { body, db, network, server } = request
  const token = readOpaqueToken(body.seat_token)
  const seat = token && (await findSeat(db, token))
  if (!seat) {
    if (!token) throw refused('incomplete')
    // Only unknown secrets count: many people in one room may scan theirs from one address.
    await server.seatGuesses.count(attemptFrom(network))
    throw refused('unknown')
  }
  const grant = await server.authenticator.transaction(db, (trx) =>
    take(trx, request, { token, seat }),
  )
  server.sessionStreams.checkAccess()
  return grant
}
