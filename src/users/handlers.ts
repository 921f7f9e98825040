import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler } from '../contract.js'
import { containing } from '../database/expressions.js'
import { jsonWhole } from '../database/lists/long-lists.js'
import { afterPosition, linkToNext, type Position, readCursor } from '../database/lists/pages.js'
import type { Trx } from '../database/schema.js'
import { lastAdmin, registrantUnverified, temporaryPassword } from '../errors.js'
import { valueError } from '../faults.js'
import { callerOf } from '../identity/caller.js'
import { hasTemporaryPassword } from '../identity/credentials.js'
import { endSessions } from '../identity/login-sessions/login-session-queries.js'
import { leads } from '../identity/roles.js'
import { nameIgnored } from '../ignored-fields.js'
import { lockOrganization } from '../organizations/queries.js'
import { lockIfUnverified } from '../organizations/unverified.js'
import { findUser, lockUser } from './find-user.js'
import { isGuest } from './guest-queries.js'
import * as queries from './list-queries.js'
import { isUnverifiedRegistrant } from './registrant-queries.js'
import { applyUpdate, checkMayUpdate, givesHighRole, losesAdmin, updateEvents } from './update.js'
import * as updateQueries from './update-queries.js'

export const listUsers: Handler<'listUsers'> = async (request, reply) => {
  const { limit, role = null, is_active = null, is_bot = null, q } = request.query
  const caller = callerOf(request)
  const wantsGuests = request.query.guests === 'include'
  if (wantsGuests && !leads(caller.role)) nameIgnored(reply, [{ loc: ['query', 'guests'] }])
  const filters = {
    organization_id: request.query.organization_id ?? caller.organization_id,
    role,
    is_active,
    is_bot,
    guests: wantsGuests && leads(caller.role) ? ('include' as const) : null,
    pattern: q ? containing(q) : null,
  }
  const { fetchInTurn } = request
  const { db } = request
  const page = (after: Position | null, batchLimit: number, longest?: number) => {
    const values = { ...filters, ...afterPosition(after) }
    return leads(caller.role)
      ? queries.selectUsers(db, values, batchLimit, longest)
      : queries.selectDirectory(db, { ...values, viewer_id: caller.user_id }, batchLimit, longest)
  }

  const after = readCursor(request)
  const { rows, count, last } = limit
    ? await page(after, limit)
    : await jsonWhole(fetchInTurn, page, after)
  const isAll = !after && !last && count !== null
  const [{ count: total } = { count: 0 }] = isAll
    ? [{ count }]
    : await queries.countUsers(db, filters)
  reply.header('x-total-count', total)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  return rows
}

export const getUser: Handler<'getUser'> = async (request) => {
  const user = await findUser(request)
  const { role, user_id } = callerOf(request)
  if (leads(role) || user._id === user_id) return user
  const hidden = { education: [], certifications: [], hobbies: [], career_goals: {}, metadata: {} }
  return { ...user, ...hidden, last_seen: null }
}

export const updateUser: Handler<'updateUser'> = async (request) => {
  const { body, db, server } = request
  const { _id, organization_id } = await findUser(request)
  return server.authenticator.transaction(db, async (trx) => {
    if (body.role || typeof body.is_active === 'boolean') {
      await lockOrganization(trx, organization_id)
      await lockIfUnverified(trx, request, organization_id)
    }
    const before = await lockUser(trx, request, { organization_id })
    checkMayUpdate(callerOf(request), before, body)
    if (body.role && body.role !== before.role && (await isGuest(trx, organization_id, _id))) {
      throw valueError(['body', 'role'], 'role_fixed', 'the role of a guest cannot be changed')
    }
    const wanted = applyUpdate(before, body)
    if (losesAdmin(before, wanted)) {
      if (!(await updateQueries.hasOtherAdmin(trx, organization_id, _id))) throw lastAdmin()
      await refuseForRegistrant(trx, request, { organization_id, user_id: _id })
    }
    if (
      givesHighRole(before, wanted) &&
      (await hasTemporaryPassword(trx, { organization_id, user_id: _id }))
    ) {
      throw temporaryPassword()
    }
    const events = updateEvents(before, wanted)
    if (events.length === 0) return before
    await recordAuditEvents(trx, request, events)
    if (before.is_active && !wanted.is_active) {
      await endSessions(trx, { organization_id, user_id: _id })
    }
    return updateQueries.updateUser(trx, wanted)
  })
}

/**
 * Throws 409 for the registrant of an organization that is not verified. A stranger may have registered it with
 * their address: only as its admin, they can take it back.
 */
async function refuseForRegistrant(
  trx: Trx,
  request: FastifyRequest,
  user: { organization_id: string; user_id: string },
): Promise<void> {
  const mayLeave = !request.server.mail.isConfigured || callerOf(request).role === 'super_admin'
  if (!mayLeave && (await isUnverifiedRegistrant(trx, user))) throw registrantUnverified()
}
