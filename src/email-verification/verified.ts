import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Trx } from '../database/schema.js'
import * as queries from './queries.js'

/**
 * Records that a user has used a link in a letter, so that the e-mail address is theirs. If they are an
 * admin, the organization may send letters from now on.
 */
export async function recordVerified(
  trx: Trx,
  request: Pick<FastifyRequest, 'id' | 'caller'>,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<void> {
  const owner = { organization_id, user_id }
  const isNewOfUser = await queries.updateUserVerified(trx, owner)
  const isNewOfOrganization = await queries.updateOrganizationVerified(trx, owner)
  if (!isNewOfUser && !isNewOfOrganization) return
  const event = { organization_id, category: 'auth', event_type: 'email_verified' }
  await recordAuditEvents(trx, request, [{ ...event, actor_id: user_id }])
}
