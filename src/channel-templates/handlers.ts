import type { Handler } from '../contract.js'
import { callerOf } from '../identity/caller.js'
import * as queries from './queries.js'

export const listChannelTemplates: Handler<'listChannelTemplates'> = async (request) => {
  const { db } = request.server
  const caller = callerOf(request)
  const all = caller.role === 'super_admin' ? null : caller.organization_id
  const { organization_id = all, scenario_name = null } = request.query
  return queries.selectChannelTemplates(db, { organization_id, scenario_name })
}
