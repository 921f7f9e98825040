import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { callerOf } from '../identity/caller.js'
import { rememberLinks } from '../identity/links/ended-links.js'
import { createOpaqueToken } from '../identity/opaque-token.js'
import { endSeats } from '../identity/seats.js'
import type { Team } from '../session-participants/change-team.js'
import { roleOf } from '../session-participants/places.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import type { Participant } from '../simulation-sessions/team/participant-queries.js'
import { selectHolders, upsertSeatLinks } from './queries.js'

/** A new link without its address. */
interface NewLink extends Omit<Schema<'NewSeatLink'>, 'url' | 'qr_svg'> {
  secret: string
}

/** Creates new links for places. Ends their earlier links, and the access of the devices that used them. */
export async function replaceLinks(
  trx: AccessTransaction,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  { session, scenario }: Pick<Team, 'session' | 'scenario'>,
  places: Participant[],
): Promise<NewLink[]> {
  if (places.length === 0) return []
  const { organization_id, _id: session_id, now: created_at } = session
  const key = { organization_id, session_id }
  const assignment_ids = places.map(({ _id }) => _id)
  const former = await selectHolders(trx, key, assignment_ids)
  await rememberLinks(trx, organization_id, former, 'replaced')
  await endSeats(trx, organization_id, former)
  const links = places.map((place) => ({ place, token: createOpaqueToken(organization_id) }))
  const rows = links.map(({ place, token }) => {
    return { assignment_id: place._id, token_hash: token.hash }
  })
  const { user_id: created_by } = callerOf(request)
  await upsertSeatLinks(trx, key, rows, { created_at, created_by })
  const event = sessionEvent(session, 'seat_links_created', { metadata: { assignment_ids } })
  await recordAuditEvents(trx, request, [event])
  return links.map(({ place, token }) => {
    const { _id: assignment_id, user_id, full_name, role_key, is_guest } = place
    const role_title = roleOf(scenario, role_key)?.title ?? null
    const who = { assignment_id, user_id, full_name, role_key, role_title, is_guest }
    return { ...who, created_at, secret: token.text }
  })
}
