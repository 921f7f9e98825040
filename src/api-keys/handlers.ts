import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler } from '../contract.js'
import { apiKeyNotFound, notABot } from '../errors.js'
import { valueError } from '../faults.js'
import { createId, isId } from '../formats/identifiers.js'
import { inUtc } from '../formats/timestamps.js'
import { apiKeyPrefix } from '../identity/authenticator.js'
import { callerOf } from '../identity/caller.js'
import { createOpaqueToken } from '../identity/opaque-token.js'
import { lockIfUnverified } from '../organizations/unverified.js'
import { requireWithinLimit } from '../usage/require-limits.js'
import { findUser } from '../users/find-user.js'
import * as queries from './queries.js'

export const createApiKey: Handler<'createApiKey'> = async (request) => {
  const { db } = request
  const { name } = request.body
  const expires_at = request.body.expires_at ? inUtc(request.body.expires_at) : null
  if (expires_at && Date.parse(expires_at) <= Date.now()) {
    throw valueError(['body', 'expires_at'], 'not_in_future', 'must be in the future')
  }
  const { _id: user_id, organization_id, is_bot } = await findUser(request)
  if (!is_bot) throw notABot()

  const secret = createOpaqueToken(organization_id)
  const owner = { organization_id, user_id, created_by: callerOf(request).user_id }
  return db.transaction().execute(async (trx) => {
    await lockIfUnverified(trx, request, organization_id)
    const apiKey = { ...owner, _id: createId(), name, expires_at, key_hash: secret.hash }
    await requireWithinLimit(trx, request.server.usage.defaults, organization_id, 'api_keys')
    const stored = await queries.insertApiKey(trx, apiKey)
    const metadata = { api_key_id: stored._id, user_id, name }
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'security', event_type: 'api_key_created', metadata },
    ])
    return { ...stored, api_key: `${apiKeyPrefix}${secret.text}` }
  })
}

export const listApiKeys: Handler<'listApiKeys'> = async (request) => {
  const { _id: user_id, organization_id } = await findUser(request)
  const { db } = request
  return queries.selectApiKeys(db, { organization_id, user_id })
}

export const revokeApiKey: Handler<'revokeApiKey'> = async (request) => {
  const { api_key_id } = request.params
  const user = await findUser(request, apiKeyNotFound)
  const { _id: user_id, organization_id } = user
  if (!isId(api_key_id)) throw apiKeyNotFound()
  await request.server.authenticator.transaction(request.db, async (trx) => {
    const isDeleted = await queries.deleteApiKey(trx, { organization_id, user_id }, api_key_id)
    if (!isDeleted) throw apiKeyNotFound()
    const metadata = { api_key_id, user_id }
    await recordAuditEvents(trx, request, [
      { organization_id, category: 'security', event_type: 'api_key_revoked', metadata },
    ])
  })
}
