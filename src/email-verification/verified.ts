import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Trx } from '../database/schema.js'
import type { AccessTransaction } from '../identity/access-changes.js'
import { settleAddress } from '../users/address.js'
import * as queries from './queries.js'

type Request = Pick<FastifyRequest, 'id' | 'caller'>
type Owner = queries.UserKey

/** Records that a user has used a link in a letter, which proves that the e-mail address is theirs. */
export async function recordVerified(
  trx: AccessTransaction,
  request: Request,
  owner: Owner,
): Promise<void> {
  if (await verifyUser(trx, request, owner)) await record(trx, request, owner)
}

/** Records the same of a user who is logged in. If they are an admin, their organization may send letters. */
export async function recordOrganizationVerified(
  trx: AccessTransaction,
  request: Request,
  owner: Owner,
): Promise<void> {
  const isNewOfOrganization = await queries.updateOrganizationVerified(trx, owner)
  const isNewOfUser = await verifyUser(trx, request, owner)
  if (isNewOfOrganization || isNewOfUser) await record(trx, request, owner)
}

/** Returns whether the user's address was not verified before. */
async function verifyUser(trx: AccessTransaction, request: Request, owner: Owner) {
  if (!(await queries.updateUserVerified(trx, owner))) return false
  await settleAddress(trx, request, owner)
  return true
}

async function record(trx: Trx, request: Request, owner: Owner): Promise<void> {
  const { organization_id, user_id: actor_id } = owner
  await recordAuditEvents(trx, request, [
    { organization_id, category: 'auth', event_type: 'email_verified', actor_id },
  ])
}
