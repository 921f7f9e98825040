import type { FastifyRequest } from 'fastify'
import type { Db, Trx } from '../database/schema.js'
import { insufficientRole, invitationNotFound, invitationNotPending } from '../errors.js'
import { isId } from '../formats/identifiers.js'
import { callerOf } from '../identity/caller.js'
import { formerLinkRefused, linkRefused } from '../identity/links/ended-links.js'
import { readOpaqueToken } from '../identity/opaque-token.js'
import { selectUser } from '../users/queries.js'
import { grantersOf, mayGrant } from './member.js'
import * as queries from './queries.js'

type InvitationRequest = FastifyRequest<{ Params: { organization_id: string; user_id: string } }>

/** The invitation that the path names, locked. Throws if it is closed or the caller may not change it. */
export async function lockOpenInvitation(
  trx: Trx,
  request: Pick<InvitationRequest, 'caller' | 'params'>,
) {
  const { organization_id, user_id } = request.params
  if (!isId(user_id)) throw invitationNotFound()
  const invitation = await queries.selectInvitationForUpdate(trx, organization_id, user_id)
  if (!invitation) throw invitationNotFound()
  const { role, status } = invitation
  if (!mayGrant(callerOf(request).role, role)) throw insufficientRole(grantersOf(role))
  if (status === 'accepted' || status === 'revoked') throw invitationNotPending(status)
  return invitation
}

export function invitationEvent(
  { organization_id, user_id, _id }: { organization_id: string; user_id: string; _id: string },
  event_type: string,
) {
  const metadata = { invitation_id: _id, user_id }
  return { organization_id, category: 'invitation', event_type, metadata }
}

/** The invitation of a link, with its user. Throws 422 if the link does not work. */
export async function requireLinkedInvitation(
  db: Db,
  text: string,
  options: { lock?: 'update' } = {},
) {
  const token = readOpaqueToken(text)
  if (!token) throw linkRefused('unknown')
  const invitation = await queries.selectInvitationByToken(db, token, options)
  if (!invitation) throw await formerLinkRefused(db, token)
  const { status, ...pending } = invitation
  if (status !== 'pending') throw linkRefused(status === 'accepted' ? 'used' : status)
  const user = await selectUser(db, pending, options)
  if (!user) throw linkRefused('unknown')
  if (!user.is_active) throw linkRefused('inactive')
  return { ...pending, user }
}
