import type { Handler } from '../contract.js'
import { afterPosition, linkToNext, readCursor } from '../database/pages.js'
import * as queries from './queries.js'

export const listAuditEvents: Handler<'listAuditEvents'> = async (request, reply) => {
  const { organization_id } = request.params
  const { category = null, event_type = null, status = null, limit, cursor } = request.query
  const filters = {
    organization_id,
    category,
    event_type,
    status,
    ...afterPosition(readCursor(cursor)),
  }
  const db = await request.server.dbForReading({ organization_id })
  const { rows, last } = await queries.selectAuditEvents(db, filters, limit)
  if (last) reply.header('link', linkToNext(request.originalUrl, last))
  return rows
}
