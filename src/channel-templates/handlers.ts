import type { Handler } from '../contract.js'
import { scopeOf } from '../identity/caller.js'
import * as queries from './queries.js'

export const listChannelTemplates: Handler<'listChannelTemplates'> = async (request) => {
  const { organization_id, scenario_name = null } = request.query
  const scope = organization_id ? { organization_id } : scopeOf(request)
  const db = await request.server.dbForReading(scope)
  return queries.selectChannelTemplates(db, scope, { scenario_name })
}
