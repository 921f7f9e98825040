import type { FastifyRequest } from 'fastify'
import type { Trx } from '../database/schema.js'
import { lockIfUnverified } from '../organizations/unverified.js'
import { refuseBeyond, requireWithinLimit } from '../usage/require-limits.js'
import { countUsers } from '../users/list-queries.js'

/** How many people an organization may have until it is verified, so that it cannot take the addresses of others. */
const peopleOfUnverified = 10

interface Adding {
  members: number
  /** Those of the members who are not bots. */
  people: number
}

/** Throws 409 if the new members would exceed a limit of the organization. */
export async function requireMemberRoom(
  trx: Trx,
  request: Pick<FastifyRequest, 'server' | 'caller'>,
  organization_id: string,
  { members, people }: Adding,
): Promise<void> {
  if ((await lockIfUnverified(trx, request, organization_id)) && people > 0) {
    const filters = { role: null, is_active: null, is_bot: false, guests: null, pattern: null }
    const [present] = await countUsers(trx, { organization_id, ...filters })
    refuseBeyond('people', present?.count ?? 0, people, peopleOfUnverified)
  }
  const { defaults } = request.server.usage
  await requireWithinLimit(trx, defaults, organization_id, 'people', members)
  await requireWithinLimit(trx, defaults, organization_id, 'invitations', members)
}
