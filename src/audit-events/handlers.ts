import type { Handler } from '../contract.js'
import { jsonPage } from '../json-text.js'
import { decodeCursor, encodeCursor } from './cursor.js'
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
  const after = cursor ? decodeCursor(cursor) : null
  const events = queries.selectAuditEvents(db, organization_id, filters, after, limit + 1)
  const { rows, last } = await jsonPage(db, events, limit)
  if (last) reply.header('link', nextLink(request.originalUrl, encodeCursor(last)))
  return rows
}

/** The same request from a later place on (RFC 8288). */
function nextLink(url: string, cursor: string): string {
  const [path = '', query] = url.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}
