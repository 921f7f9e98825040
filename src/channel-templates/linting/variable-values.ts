import type { FastifyRequest } from 'fastify'
import { valueError } from '../../faults.js'
import { isId } from '../../formats/identifiers.js'
import { callerOf } from '../../identity/caller.js'
import { selectOrganization } from '../../organizations/queries.js'
import { selectUser } from '../../users/queries.js'
import type { Values } from './variables.js'

type Request = Pick<FastifyRequest, 'caller' | 'db' | 'server'>

/**
 * Returns the values of variables by scenario, for a user of the organization, or for the caller when
 * `user_id` is null. Throws 422 for a user that the organization does not have.
 */
export async function valuesFor(
  request: Request,
  organization_id: string,
  user_id: string | null,
  loc: string[],
): Promise<(scenario_name: string) => Values> {
  const { db } = request
  const { scenarioLabel } = request.server
  const wanted = user_id ? { organization_id, user_id } : callerOf(request)
  const user = isId(wanted.user_id) ? await selectUser(db, wanted) : undefined
  if (!user) throw valueError(loc, 'unknown_user', 'is no user of this organization')
  const { name, branding } = await selectOrganization(db, organization_id)
  const full_name = user.full_name?.trim() || null
  return (scenario_name) => ({
    'user.first_name': full_name?.split(/\s/)[0] ?? user.username,
    'user.full_name': full_name ?? user.username,
    'organization.company_name': branding.company_name ?? name,
    'scenario.name': scenarioLabel(scenario_name),
  })
}
