import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Trx } from '../database/schema.js'
import { emailExists } from '../errors.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { linkRefused } from '../identity/links/ended-links.js'
import * as queries from './address-queries.js'
import { deleteUsers } from './queries.js'

/**
 * Gives an address to a registrant who will get a link to prove it, also if a person has it who is only
 * invited: anyone can invite anyone. That invitation stays open until one of the two has proven the address.
 */
export async function claimAddress(
  trx: Trx,
  email: string,
  registrant: queries.Holder,
): Promise<void> {
  if (await queries.insertFreeEmail(trx, email, registrant)) return
  const holder = await queries.selectHolder(trx, email)
  // Before the address, as an acceptance does. Another order could deadlock.
  if (!holder || !(await queries.lockUnusedInvitation(trx, holder))) throw emailExists()
  const change = { from: holder, to: registrant }
  if (!(await queries.updateHolder(trx, email, change))) throw emailExists()
}

/**
 * Leaves the address to a user who has just proven it. Ends the invitation that kept it before. Throws 422 if
 * another user has proven it first.
 */
export async function settleAddress(
  trx: AccessTransaction,
  request: Pick<FastifyRequest, 'id'>,
  user: queries.Holder,
): Promise<void> {
  const entries = await queries.selectEntriesOf(trx, user)
  const own = entries.find((one) => [one.user_id, one.invited_user_id].includes(user.user_id))
  if (!own && entries.length > 0) throw linkRefused('otherAccount')
  const { invited_organization_id: organization_id, invited_user_id: user_id } = own ?? {}
  if (!own || !organization_id || !user_id) return
  const invited = user_id === user.user_id ? null : { organization_id, user_id }
  // The invitation comes first, as when it is accepted. Another order could deadlock.
  const revoked = invited && (await queries.revokeInvitationOf(trx, invited))
  if (!(await queries.settleHolder(trx, own.email, user))) throw linkRefused('otherAccount')
  if (revoked) await endInvited(trx, request, { ...invited, invitation_id: revoked._id })
}

/**
 * Deletes an invited person, unless they have logged in or joined a session. Their organization does not learn who
 * has proven the address.
 */
async function endInvited(
  trx: AccessTransaction,
  { id }: Pick<FastifyRequest, 'id'>,
  { organization_id, ...ids }: queries.Holder & { invitation_id: string },
): Promise<void> {
  if (!(await queries.hasTakenPart(trx, { organization_id, ...ids }))) {
    await deleteUsers(trx, organization_id, [ids.user_id])
  }
  const event = { organization_id, category: 'invitation', event_type: 'invitation_revoked' }
  const metadata = { ...ids, reason: 'address_proven_by_another' }
  await recordAuditEvents(trx, { id, caller: null }, [{ ...event, actor_type: 'system', metadata }])
}
