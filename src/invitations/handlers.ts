import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler } from '../contract.js'
import { afterPosition, linkToNext, readCursor } from '../database/pages.js'
import type { Database } from '../database/schema.js'
import {
  insufficientRole,
  invitationNotFound,
  invitationNotPending,
  tokenRefused,
} from '../errors.js'
import { isId } from '../identifiers.js'
import { callerOf } from '../identity/caller.js'
import { setPassword } from '../identity/credentials.js'
import { readOpaqueToken } from '../identity/opaque-token.js'
import { endSessions } from '../identity/session-queries.js'
import { startSession } from '../identity/sessions.js'
import { deleteUsers, selectUser } from '../users/queries.js'
import { selectUserForUpdate } from '../users/update-queries.js'
import { recordAcceptance } from './acceptance.js'
import { grantersOf, mayGrant } from './access-level.js'
import { inviteRows } from './bulk.js'
import { invite } from './invite.js'
import * as queries from './queries.js'
import { createSecret, deliverSecret, storeSecret } from './secret.js'

export const inviteMember: Handler<'inviteMember'> = async (request) => {
  return invite(request, request.params.organization_id, request.body)
}

export const inviteMembers: Handler<'inviteMembers'> = async (request) => {
  const { organization_id } = request.params
  const results = await inviteRows(
    request.body.invitations,
    (row, mayMail) => {
      const body = request.server.readBodyOf('inviteMember', row)
      return invite(request, organization_id, body, mayMail)
    },
    (err, row) => request.log.error({ err, row }, 'invitation failed'),
  )
  return { results }
}

export const listInvitations: Handler<'listInvitations'> = async (request, reply) => {
  const { db } = request.server
  const { status: wanted = null, limit, cursor } = request.query
  const { organization_id } = request.params
  const filters = {
    organization_id,
    wanted,
    ...afterPosition(readCursor(cursor)),
  }
  const { rows, last } = await queries.selectInvitations(db, filters, limit)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  return rows
}

export const resendInvitation: Handler<'resendInvitation'> = async (request) => {
  const { server } = request
  const { organization_id } = request.params
  const secret = await createSecret(server, organization_id)
  const { user, ...invitee } = await server.authenticator.transaction(async (trx) => {
    const open = await selectOpenInvitation(trx, request)
    await storeSecret(trx, open, secret)
    await endSessions(trx, open)
    await recordAuditEvents(trx, request, [invitationEvent(open, 'invitation_resent')])
    const user = await selectUser(trx, open)
    if (!user) throw invitationNotFound()
    return { ...open, user }
  })
  const { name: organization_name } = await queries.selectSender(server.db, organization_id)
  return { user, organization_name, ...(await deliverSecret(request, invitee, secret)) }
}

export const revokeInvitation: Handler<'revokeInvitation'> = async (request) => {
  await request.server.authenticator.transaction(async (trx) => {
    const open = await selectOpenInvitation(trx, request)
    await deleteUsers(trx, open.organization_id, [open.user_id])
    const revoked_at = new Date().toISOString()
    await queries.updateInvitation(trx, open, { revoked_at, token_hash: null })
    await recordAuditEvents(trx, request, [invitationEvent(open, 'invitation_revoked')])
  })
}

export const acceptInvitation: Handler<'acceptInvitation'> = async (request) => {
  const { authenticator, passwords } = request.server
  const token = readOpaqueToken(request.body.token)
  if (!token) throw tokenRefused()
  const password_hash = await passwords.hash(request.body.password)

  return authenticator.transaction(async (trx) => {
    const invitation = await queries.selectInvitationByToken(trx, token)
    if (!invitation) throw tokenRefused()
    const { organization_id, user_id } = invitation
    const user = await selectUserForUpdate(trx, organization_id, user_id)
    if (!user?.is_active) throw tokenRefused()
    await setPassword(trx, { ...invitation, password_hash })
    await recordAcceptance(trx, request, invitation)
    return startSession(trx, request.server, user)
  })
}

type InvitationRequest = FastifyRequest<{ Params: { organization_id: string; user_id: string } }>

/** The invitation that the path names, if the caller may touch it and nobody has accepted it. */
async function selectOpenInvitation(
  trx: Transaction<Database>,
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

function invitationEvent(
  { organization_id, user_id, _id }: { organization_id: string; user_id: string; _id: string },
  event_type: string,
) {
  const metadata = { invitation_id: _id, user_id }
  return { organization_id, category: 'invitation', event_type, metadata }
}
