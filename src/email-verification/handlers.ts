import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler } from '../contract.js'
import { alreadyVerified, notRegistrant } from '../errors.js'
import { attemptFrom } from '../identity/attempts/attempts.js'
import { callerOf } from '../identity/caller.js'
import { linkRefused } from '../identity/links/ended-links.js'
import { requireLink, useLink } from '../identity/links/newest-links.js'
import { readOpaqueToken } from '../identity/opaque-token.js'
import { lockOrganization } from '../organizations/queries.js'
import { mailLink, storeLink } from './link.js'
import * as queries from './queries.js'
import { recordOrganizationVerified } from './verified.js'

export const verifyEmail: Handler<'verifyEmail'> = async (request) => {
  const { organization_id, user_id } = callerOf(request)
  const token = readOpaqueToken(request.body.token)
  if (!token) throw linkRefused('unknown')
  await request.server.authenticator.transaction(request.db, async (trx) => {
    // First, as a change of a role does. Another order could deadlock.
    await lockOrganization(trx, organization_id)
    const owner = await requireLink(trx, 'email_verifications', token)
    const isOwn = owner.organization_id === organization_id && owner.user_id === user_id
    if (!isOwn) throw linkRefused('otherAccount')
    await useLink(trx, 'email_verifications', owner, token)
    await recordOrganizationVerified(trx, request, owner)
  })
  // Verified organizations may use more.
  request.server.usage.forget(organization_id)
}

export const resendVerification: Handler<'resendVerification'> = async (request) => {
  const { db, server } = request
  const { organization_id, user_id } = callerOf(request)
  const person = await queries.selectPerson(db, { organization_id, user_id })
  if (person.is_verified) throw alreadyVerified()
  if (!person.may_verify) throw notRegistrant()
  if (!server.mail.isConfigured) return { email_sent: false }

  await server.verificationLetters.count(attemptFrom(user_id))
  const token = await db.transaction().execute(async (trx) => {
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'auth', event_type: 'verification_requested' },
    ])
    return storeLink(trx, { organization_id, user_id })
  })
  return { email_sent: await mailLink(request, person.email, token) }
}
