import type { FastifyRequest } from 'fastify'
import type { Trx } from '../database/schema.js'
import { inScope, selectOwner } from '../database/scope.js'
import { userNotFound } from '../errors.js'
import { isId } from '../formats/identifiers.js'
import { scopeOf } from '../identity/caller.js'
import { selectUser, userColumns } from './queries.js'

type Request = Pick<FastifyRequest, 'caller' | 'db'> & { params: { user_id: string } }

/**
 * The user that the path names. Throws 404 when the caller cannot reach the user. The answer is the
 * same for a user of another organization and for an unknown one.
 */
export async function findUser({ caller, db, params }: Request, notFound = userNotFound) {
  const { user_id: _id } = params
  if (!isId(_id)) throw notFound()
  const user = await inScope(db.selectFrom('users'), 'users', scopeOf({ caller }))
    .select(userColumns)
    .where('_id', '=', _id)
    .executeTakeFirst()
  if (!user) throw notFound()
  return user
}

/** Finds a user and locks it until the transaction ends. */
export async function lockUser(trx: Trx, request: Request, scope = scopeOf(request)) {
  const { user_id } = request.params
  if (!isId(user_id)) throw userNotFound()
  const organization_id = await selectOwner(trx, 'users', scope, user_id)
  const user =
    organization_id && (await selectUser(trx, { organization_id, user_id }, { lock: 'update' }))
  if (!user) throw userNotFound()
  return user
}
