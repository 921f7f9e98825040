import type { FastifyRequest } from 'fastify'
import type { ContractError } from '../errors.js'
import { userNotFound } from '../errors.js'
import { isId } from '../identifiers.js'
import { callerOf } from '../identity/caller.js'
import { userColumns } from './queries.js'

/**
 * The user that a path names, if the caller can reach them: in their own organization, a
 * super_admin in any. Throws 404 otherwise, the same for a foreign and an unknown one.
 */
export async function findUser(
  request: Pick<FastifyRequest, 'caller' | 'server'>,
  user_id: string,
  notFound: () => ContractError = userNotFound,
) {
  const { role, organization_id } = callerOf(request)
  if (!isId(user_id)) throw notFound()
  const user = await request.server.db
    .selectFrom('users')
    .select(userColumns)
    .$if(role !== 'super_admin', (query) => query.where('organization_id', '=', organization_id))
    .where('_id', '=', user_id)
    .executeTakeFirst()
  if (!user) throw notFound()
  return user
}
