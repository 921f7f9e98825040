import { recordAuditEvents } from '../audit-events/record.js'
import { endSessions } from '../auth/session-queries.js'
import type { Handler, Role } from '../contract.js'
import { lastAdmin, userNotFound } from '../errors.js'
import { jsonPage, jsonWhole } from '../json-text.js'
import { linkToNext, type Position, readCursor } from '../paging.js'
import { callerOf } from '../security.js'
import * as queries from './queries.js'
import { findUser } from './reach.js'
import { applyUpdate, checkMayUpdate, losesAdmin, updateEvents } from './update.js'
import * as updateQueries from './update-queries.js'

const seeProfiles: readonly Role[] = ['super_admin', 'admin', 'hr']

export const listUsers: Handler<'listUsers'> = async (request, reply) => {
  const { db } = request.server
  const caller = callerOf(request)
  const { limit, cursor, organization_id, role, is_active = null, is_bot = null, q } = request.query
  const scope = organization_id || caller.organization_id
  const filters = { role: role || null, is_active, is_bot, q: q || null }
  const viewer = seeProfiles.includes(caller.role) ? null : caller.user_id
  const page = (after: Position | null) => queries.selectUsers(db, scope, filters, viewer, after)

  const after = readCursor(cursor)
  const { rows, count, last } = limit
    ? await jsonPage(db, page(after), limit)
    : await jsonWhole(db, page, after)
  const isAll = !after && !last
  const total = isAll && count !== null ? count : await queries.countUsers(db, scope, filters)
  reply.header('x-total-count', total)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  return rows
}

export const getUser: Handler<'getUser'> = async (request) => {
  const user = await findUser(request, request.params.user_id)
  const { role, user_id } = callerOf(request)
  if (seeProfiles.includes(role) || user._id === user_id) return user
  const hidden = { education: [], certifications: [], hobbies: [], career_goals: {}, metadata: {} }
  return { ...user, ...hidden, last_seen: null }
}

export const updateUser: Handler<'updateUser'> = async (request) => {
  const { body, server } = request
  const { _id, organization_id } = await findUser(request, request.params.user_id)
  const after = await server.db.transaction().execute(async (trx) => {
    if (body.role || body.is_active === false) await updateQueries.lockAdmins(trx, organization_id)
    const before = await updateQueries.selectUserForUpdate(trx, organization_id, _id)
    if (!before) throw userNotFound()
    checkMayUpdate(callerOf(request), before, body)
    const wanted = applyUpdate(before, body)
    if (
      losesAdmin(before, wanted) &&
      !(await updateQueries.hasOtherAdmin(trx, organization_id, _id))
    ) {
      throw lastAdmin()
    }
    const events = updateEvents(before, wanted)
    if (events.length === 0) return before
    await recordAuditEvents(trx, request, events)
    if (before.is_active && !wanted.is_active) {
      await endSessions(trx, { organization_id, user_id: _id })
    }
    return updateQueries.updateUser(trx, wanted)
  })
  server.callers.forget(_id)
  return after
}
