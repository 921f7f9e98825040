import type { Handler } from '../contract.js'
import type { Db } from '../database/schema.js'
import { selectDecisions } from '../simulation-sessions/decisions/queries.js'
import { findSession, requireJoined } from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import type { OfSession } from '../simulation-sessions/queries.js'
import { withSession } from '../simulation-sessions/with-session.js'
import { decide, decidedBefore } from './decide.js'
import { selectAsks, selectDependentLines } from './queries.js'
import { forLeaders, forParticipants } from './view.js'

export const listDecisions: Handler<'listDecisions'> = async (request) => {
  const { session, part } = await findSession(request)
  requireJoined(part)
  const { organization_id, _id: session_id } = session
  const of = { organization_id, session_id }
  const decisions = await selectDecisions(request.db, of)
  if (part.kind !== 'trainer') return decisions.map((one) => forParticipants(session, one))
  const plan = hasEnded(session.status) ? null : await readPlan(request.db, of)
  return forLeaders(session, decisions, plan)
}

/** What the plan of a session says about decisions; null if the session has ended meanwhile. */
async function readPlan(db: Db, key: OfSession) {
  const lines = await selectDependentLines(db, key)
  // The end deletes the whole plan: if there are asks, the lines were read before.
  const asks = await selectAsks(db, key)
  return asks.length === 0 ? null : { asks, lines }
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
