import type { Handler } from '../contract.js'
import { scopeOf } from '../identity/caller.js'
import * as queries from './queries.js'

export const listChannelTemplates: Handler<'listChannelTemplates'> = async (request) => {
  const { db } = request.server
  const { organization_id, scenario_name = null } = request.query
  const scope = organization_id ? { organization_id } : scopeOf(request)
  return queries.selectChannelTemplates(db, scope, { scenario_name })
}
