import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import { insufficientRole } from '../errors.js'
import { createId } from '../identifiers.js'
import { callerOf } from '../identity/caller.js'
import { insertEmail, insertUsers } from '../users/queries.js'
import { grantersOf, mayGrant } from './access-level.js'
import { memberFromInvitation } from './member.js'
import * as queries from './queries.js'
import { createSecret, deliverSecret, type Invitee, type Secret, storeSecret } from './secret.js'

type Request = Pick<FastifyRequest, 'id' | 'caller' | 'log' | 'server'>

/**
 * Makes a person or a bot a member of an organization and brings them the secret to get in with.
 * Throws 403 for a role that the caller may not grant, 409 for an e-mail address that is taken.
 */
export async function invite(
  request: Request,
  organization_id: string,
  body: Schema<'Invitation'>,
  mayMail = true,
): Promise<Schema<'InvitedMember'>> {
  const { server } = request
  const member = memberFromInvitation(organization_id, body)
  const { _id: user_id, email, full_name, role } = member
  if (!mayGrant(callerOf(request).role, role)) throw insufficientRole(grantersOf(role))

  const invitee = { organization_id, user_id, email, full_name }
  const secret = member.is_bot ? null : await createSecret(server, organization_id, mayMail)
  const answer = await server.authenticator.transaction(async (trx) => {
    await insertEmail(trx, member)
    const [user] = await insertUsers(trx, [member])
    if (!user) throw new Error('An inserted user was not returned')
    if (secret) {
      const { user_id: invited_by } = callerOf(request)
      const expires_at = new Date().toISOString()
      const invitation = { ...invitee, _id: createId(), role, invited_by, expires_at }
      await queries.insertInvitation(trx, invitation)
      await storeSecret(trx, invitee, secret)
    }
    const event = { organization_id, category: 'invitation', event_type: 'member_invited' }
    await recordAuditEvents(trx, request, [{ ...event, metadata: { user_id, role } }])
    const { name: organization_name } = await queries.selectSender(trx, organization_id)
    return { user, organization_name }
  })
  return { ...answer, ...(await deliver(request, invitee, secret)) }
}

/** The member exists by now, so a delivery that fails is told as such; a resend is the way on. */
async function deliver(request: Request, invitee: Invitee, secret: Secret | null) {
  const undelivered = { email_sent: false, temporary_password: null }
  if (!secret) return undelivered
  try {
    return await deliverSecret(request, invitee, secret)
  } catch (err) {
    request.log.error({ err }, 'invitation not delivered')
    return undelivered
  }
}
