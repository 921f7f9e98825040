import { type Handler, JsonText, type Schema } from '../contract.js'
import { bySeq, defaultPageSize, linkToNext, readCursor } from '../database/lists/pages.js'
import { pageOfRows } from '../database/lists/row-pages.js'
import { insufficientRole, notAParticipant, placeNotFound } from '../errors.js'
import { leadingRoles } from '../identity/roles.js'
import { findSession, lockSession } from '../simulation-sessions/find-session.js'
import type { SessionPart } from '../simulation-sessions/team/part-queries.js'
import { selectPlaces } from '../simulation-sessions/team/participant-queries.js'
import { selectTrainerMessages } from './queries.js'
import { send } from './send.js'

export const askTrainer: Handler<'askTrainer'> = async (request) => {
  const message = await request.db.transaction().execute(async (trx) => {
    const { session, part } = await lockSession(trx, request)
    if (!part.place) throw notAParticipant('ask the trainers')
    return send(trx, request, session, { place: part.place, from_trainer: false })
  })
  request.server.sessionStreams.wake(message.session_id)
  return message
}

export const answerParticipant: Handler<'answerParticipant'> = async (request) => {
  const { assignment_id } = request.params
  const { to_all } = request.body
  const message = await request.db.transaction().execute(async (trx) => {
    const { session } = await lockSession(trx, request)
    const { organization_id, _id: session_id } = session
    const places = await selectPlaces(trx, { organization_id, session_id })
    const place = places.find(({ _id }) => _id === assignment_id)
    if (!place) throw placeNotFound()
    return send(trx, request, session, { place, from_trainer: true, to_all })
  })
  request.server.sessionStreams.wake(message.session_id)
  return message
}

export const listTrainerMessages: Handler<'listTrainerMessages'> = async (request, reply) => {
  const { limit = defaultPageSize } = request.query
  const after = Math.max(request.query.after ?? 0, Number(readCursor(request, bySeq)?.seq ?? 0))
  const { session, part } = await findSession(request)
  const { organization_id, _id: session_id } = session
  const filters = { organization_id, session_id, after, assignment_id: placeToRead(part) }
  const rows = await selectTrainerMessages(request.db, { ...filters, limit: limit + 1 })
  const { text, last } = pageOfRows(rows, limit)
  if (last) reply.header('link', linkToNext(request.originalUrl, { seq: String(last.seq) }))
  return new JsonText<Schema<'TrainerMessageList'>>(text)
}

/** The place whose private words a part may read; null for all. Throws 403 if there is none. */
function placeToRead({ kind, place }: SessionPart): string | null {
  if (kind === 'trainer') return null
  if (!place) throw insufficientRole(leadingRoles)
  return place._id
}
