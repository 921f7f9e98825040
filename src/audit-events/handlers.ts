import type { Handler } from '../contract.js'
import { jsonPage } from '../json-text.js'
import { linkToNext, readCursor } from '../paging.js'
import * as queries from './queries.js'

export const listAuditEvents: Handler<'listAuditEvents'> = async (request, reply) => {
  const { db } = request.server
  const { organization_id } = request.params
  const { category, event_type, status, limit = 100, cursor } = request.query
  const filters = {
    category: category || null,
    event_type: event_type || null,
    status: status || null,
  }
  const events = queries.selectAuditEvents(db, organization_id, filters, readCursor(cursor))
  const { rows, last } = await jsonPage(db, events, limit)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  return rows
}
