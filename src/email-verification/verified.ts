import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Trx } from '../database/schema.js'
import * as queries from './queries.js'

type Request = Pick<FastifyRequest, 'id' | 'caller'>
type Owner = queries.UserKey

/** Records that a user has used a link in a letter, which proves that the e-mail address is theirs. */
export async function recordVerified(trx: Trx, request: Request, owner: Owner): Promise<void> {
  if (await queries.updateUserVerified(trx, owner)) await record(trx, request, owner)
}

/** Records the same of a user who is logged in. If they are an admin, their organization may send letters. */
export async function recordOrganizationVerified(
  trx: Trx,
  request: Request,
  owner: Owner,
): Promise<void> {
  const isNewOfOrganization = await queries.updateOrganizationVerified(trx, owner)
  const isNewOfUser = await queries.updateUserVerified(trx, owner)
  if (isNewOfOrganization || isNewOfUser) await record(trx, request, owner)
}

async function record(trx: Trx, request: Request, owner: Owner): Promise<void> {
  const { organization_id, user_id: actor_id } = owner
  await recordAuditEvents(trx, request, [
    { organization_id, category: 'auth', event_type: 'email_verified', actor_id },
  ])
}
