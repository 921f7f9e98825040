import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler, Schema } from '../contract.js'
import { afterPosition, linkToNext, readCursor } from '../database/lists/pages.js'
import { recordVerified } from '../email-verification/verified.js'
import { insufficientRole, invitationNotFound } from '../errors.js'
import { callerOf } from '../identity/caller.js'
import { setPassword } from '../identity/credentials.js'
import { endSessions } from '../identity/login-sessions/login-session-queries.js'
import { startLoginSession } from '../identity/login-sessions/login-sessions.js'
import { newPasswordOf } from '../identity/new-password.js'
import { nameIgnored } from '../ignored-fields.js'
import { requireLetters, takeLetter } from '../usage/letters-today.js'
import { deleteUsers, insertEmail, insertUsers, selectUser } from '../users/queries.js'
import { recordAcceptance } from './acceptance.js'
import { bulkAnswerMs, inviteRows } from './bulk.js'
import { grantersOf, isOfPerson, mayGrant, memberFromInvitation, unknownLevel } from './member.js'
import { requireMemberRoom } from './member-room.js'
import { invitationEvent, lockOpenInvitation, requireLinkedInvitation } from './open-invitations.js'
import * as queries from './queries.js'
import {
  createSecret,
  deliverSecret,
  type Invitee,
  type Secret,
  sendsLetters,
  storeInvitation,
  storeSecret,
  undelivered,
} from './secret.js'

export const inviteMember: Handler<'inviteMember'> = async (request, reply) => {
  nameIgnored(reply, unknownLevel(request.body, ['body']))
  return invite(request, request.params.organization_id, request.body)
}

export const inviteMembers: Handler<'inviteMembers'> = async (request, reply) => {
  const { organization_id } = request.params
  const { invitations } = request.body
  const loc = ['body', 'invitations']
  nameIgnored(
    reply,
    invitations.flatMap((row, i) => unknownLevel(row, [...loc, String(i)])),
  )
  // Refuses the whole list if it exceeds a limit. Each row checks again, as others may also invite.
  const people = invitations.filter(isOfPerson).length
  await request.db.transaction().execute((trx) => {
    const adding = { members: invitations.length, people }
    return requireMemberRoom(trx, request, organization_id, adding)
  })
  if (await sendsLetters(request, organization_id)) {
    await requireLetters(request.db, request.server.usage.defaults, organization_id, people)
  }
  // Until this answer has ended. The next request on the connection has the usual time again.
  request.raw.setTimeout(bulkAnswerMs)
  const results = await inviteRows(
    invitations,
    (row, mayMail) => {
      const body = request.server.readBodyOf('inviteMember', row)
      return invite(request, organization_id, body, mayMail)
    },
    (err, row) => request.log.error({ err, row }, 'invitation failed'),
  )
  return { results }
}

type InvitingRequest = Pick<FastifyRequest, 'id' | 'caller' | 'log' | 'db' | 'server'>

/**
 * Makes a person or a bot a member of an organization, and delivers the secret of a person. Throws 403
 * for a role that the caller may not grant, and 409 if a person has the e-mail address already.
 */
async function invite(
  request: InvitingRequest,
  organization_id: string,
  body: Schema<'Invitation'>,
  mayMail = true,
): Promise<Schema<'InvitedMember'>> {
  const { db, server } = request
  const member = memberFromInvitation(organization_id, body)
  const { _id: user_id, email, full_name, role } = member
  if (!mayGrant(callerOf(request).role, role)) throw insufficientRole(grantersOf(role))

  const invitee = { organization_id, user_id, email, full_name }
  const secret = member.is_bot ? null : await createSecret(request, organization_id, mayMail)
  const answer = await server.authenticator.transaction(db, async (trx) => {
    await requireMemberRoom(trx, request, organization_id, {
      members: 1,
      people: member.is_bot ? 0 : 1,
    })
    // A bot never logs in, so its address stays free for the person who has it.
    if (!member.is_bot) await insertEmail(trx, member)
    const [user] = await insertUsers(trx, [member])
    if (!user) throw new Error('An inserted user was not returned')
    if (secret) {
      const { user_id: invited_by } = callerOf(request)
      await storeInvitation(trx, { ...invitee, role, invited_by }, secret)
    }
    const event = { organization_id, category: 'invitation', event_type: 'member_invited' }
    await recordAuditEvents(trx, request, [{ ...event, metadata: { user_id, role } }])
    const { name: organization_name } = await queries.selectSender(trx, organization_id)
    if (secret?.kind === 'link')
      await takeLetter(trx, request.server.usage.defaults, organization_id)
    return { user, organization_name }
  })
  return { ...answer, ...(await deliver(request, invitee, secret)) }
}

/** Delivers the secret. A failure does not fail the request: the member exists, and can get a resend. */
async function deliver(request: InvitingRequest, invitee: Invitee, secret: Secret | null) {
  if (!secret) return undelivered
  try {
    return await deliverSecret(request, invitee, secret)
  } catch (err) {
    request.log.error({ err }, 'invitation not delivered')
    return undelivered
  }
}

export const listInvitations: Handler<'listInvitations'> = async (request, reply) => {
  const { status: wanted = null, limit } = request.query
  const { organization_id } = request.params
  const filters = {
    organization_id,
    wanted,
    ...afterPosition(readCursor(request)),
  }
  const { db } = request
  const { rows, last } = await queries.selectInvitations(db, filters, limit)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  return rows
}

export const resendInvitation: Handler<'resendInvitation'> = async (request) => {
  const { db, server } = request
  const { organization_id } = request.params
  const secret = await createSecret(request, organization_id)
  const { user, ...invitee } = await server.authenticator.transaction(db, async (trx) => {
    const open = await lockOpenInvitation(trx, request)
    await storeSecret(trx, open, secret, open.token_hash)
    await endSessions(trx, open)
    await recordAuditEvents(trx, request, [invitationEvent(open, 'invitation_resent')])
    const user = await selectUser(trx, open)
    if (!user) throw invitationNotFound()
    if (secret.kind === 'link')
      await takeLetter(trx, request.server.usage.defaults, organization_id)
    return { ...open, user }
  })
  const { name: organization_name } = await queries.selectSender(db, organization_id)
  return { user, organization_name, ...(await deliverSecret(request, invitee, secret)) }
}

export const revokeInvitation: Handler<'revokeInvitation'> = async (request) => {
  await request.server.authenticator.transaction(request.db, async (trx) => {
    const open = await lockOpenInvitation(trx, request)
    await deleteUsers(trx, open.organization_id, [open.user_id])
    const revoked_at = new Date().toISOString()
    await queries.updateInvitation(trx, open, { revoked_at })
    await recordAuditEvents(trx, request, [invitationEvent(open, 'invitation_revoked')])
  })
}

export const getInvitation: Handler<'getInvitation'> = async ({ db, body }) => {
  const { user, organization_id, expires_at } = await requireLinkedInvitation(db, body.token)
  const { name: organization_name } = await queries.selectSender(db, organization_id)
  const { email, full_name, role } = user
  return { organization_name, email, full_name, role, expires_at }
}

export const acceptInvitation: Handler<'acceptInvitation'> = async (request) => {
  const { authenticator, passwords } = request.server
  const password = newPasswordOf(request.body)
  // Only a link that works is worth the expensive hash.
  await requireLinkedInvitation(request.db, request.body.token)
  const password_hash = await passwords.hash(password, request.turnKey)

  return authenticator.transaction(request.db, async (trx) => {
    const { user, organization_id, user_id } = await requireLinkedInvitation(
      trx,
      request.body.token,
      { lock: 'update' },
    )
    await setPassword(trx, { organization_id, user_id, password_hash })
    await recordAcceptance(trx, request, { organization_id, user_id })
    await recordVerified(trx, request, { organization_id, user_id })
    return startLoginSession(trx, request.server, user)
  })
}
