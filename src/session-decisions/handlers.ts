import type { Handler } from '../contract.js'
import { selectDecisions } from '../simulation-sessions/decisions/queries.js'
import { findSession, requireJoined } from '../simulation-sessions/find-session.js'
import { withSession } from '../simulation-sessions/with-session.js'
import { decide, decidedBefore } from './decide.js'
import { selectDecisionLines } from './queries.js'
import { forLeaders, forParticipants } from './view.js'

export const listDecisions: Handler<'listDecisions'> = async (request) => {
  const { session, part } = await findSession(request)
  requireJoined(part)
  const { organization_id, _id: session_id } = session
  const of = { organization_id, session_id }
  const decisions = await selectDecisions(request.db, of)
  if (part.kind !== 'trainer') return decisions.map((one) => forParticipants(session, one))
  return forLeaders(session, decisions, await selectDecisionLines(request.db, of))
}

export const makeDecision: Handler<'makeDecision'> = async (request) => {
  const { session, decision } = await withSession(
    request,
    (trx, found) => decide(trx, request, found),
    { repeated: (trx, found) => decidedBefore(trx, request, found) },
  )
  request.server.sessionStreams.wake(session._id)
  return forParticipants(session, decision)
}
