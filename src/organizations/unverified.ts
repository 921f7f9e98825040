import type { FastifyRequest } from 'fastify'
import type { Trx } from '../database/schema.js'
import { invalidToken } from '../errors.js'
import { selectSessionCaller } from '../identity/authenticator-queries.js'
import { callerOf } from '../identity/caller.js'
import { isVerified, lockOrganization } from './queries.js'

/**
 * Whether mail is set up and an organization is not verified. If so, this locks the organization, and throws
 * 401 if the caller's access has ended. A new password of the registrant ends the access of all others: without
 * this check, a request of theirs that is under way could give them another one.
 */
export async function lockIfUnverified(
  trx: Trx,
  request: Pick<FastifyRequest, 'server' | 'caller'>,
  organization_id: string,
): Promise<boolean> {
  if (!request.server.mail.isConfigured || (await isVerified(trx, organization_id))) return false
  await lockOrganization(trx, organization_id)
  const { organization_id: org, user_id: sub, session_id: sid, role } = callerOf(request)
  const isCurrent = sid && (await selectSessionCaller(trx, { org, sub, sid, role }))
  if (!isCurrent) throw invalidToken()
  return true
}
