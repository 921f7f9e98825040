import type { Handler } from '../contract.js'
import { jsonList } from '../json-text.js'
import { callerOf } from '../security.js'
import * as queries from './queries.js'

const seeProfiles = new Set(['super_admin', 'admin', 'hr'])

export const listUsers: Handler<'listUsers'> = async (request) => {
  const { db } = request.server
  const { organization_id, user_id, role } = callerOf(request)
  return seeProfiles.has(role)
    ? jsonList(db, queries.selectUsers(db, organization_id))
    : jsonList(db, queries.selectDirectory(db, organization_id, user_id))
}
