import { recordAuditEvents } from '../audit-events/record.js'
import { Attachment, type Handler, type Role } from '../contract.js'
import { insufficientRole } from '../errors.js'
import { withByteOrderMark } from '../formats/csv.js'
import { callerOf } from '../identity/caller.js'
import { findSession } from '../simulation-sessions/find-session.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import * as file from './export.js'
import { formats } from './formats.js'

/** The roles that get names on request, and private words. */
const admins: Role[] = ['super_admin', 'admin']

export const exportSession: Handler<'exportSession'> = async (request) => {
  const { format = 'ndjson', names = false, bom } = request.query
  const { db } = request
  const { catalogue, config } = request.server
  const { user_id, role } = callerOf(request)
  const isAdmin = admins.includes(role)
  if (names && !isAdmin) throw insufficientRole(admins)
  const { session } = await findSession(request)
  const metadata = { format, names }
  await db.transaction().execute(async (trx) => {
    await recordAuditEvents(trx, request, [sessionEvent(session, 'session_exported', { metadata })])
  })
  // xAPI has no statement for private words.
  const showsWords = isAdmin && format !== 'xapi'
  const viewer = { user_id, isNamed: names, showsWords, appUrl: config.appUrl }
  const content = await file.openFile(db, catalogue, session, viewer)
  const { type, extension } = formats[format]
  const pieces = withByteOrderMark(file.exportSession(request, content, format), { format, bom })
  return new Attachment(type, `session-${session._id}.${extension}`, pieces)
}
