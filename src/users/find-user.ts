import type { FastifyRequest } from 'fastify'
import { inScope } from '../database/scope.js'
import type { ContractError } from '../errors.js'
import { userNotFound } from '../errors.js'
import { isId } from '../identifiers.js'
import { scopeOf } from '../identity/caller.js'
import { userColumns } from './queries.js'

/**
 * The user that a path names, if the caller can reach them: in their own organization, a
 * super_admin in any. Throws 404 otherwise, the same for a foreign and an unknown one.
 */
export async function findUser(
  request: Pick<FastifyRequest, 'caller' | 'db' | 'server'>,
  user_id: string,
  notFound: () => ContractError = userNotFound,
) {
  if (!isId(user_id)) throw notFound()
  const users = request.db.selectFrom('users')
  const user = await inScope(users, 'users', scopeOf(request))
    .select(userColumns)
    .where('_id', '=', user_id)
    .executeTakeFirst()
  if (!user) throw notFound()
  return user
}
