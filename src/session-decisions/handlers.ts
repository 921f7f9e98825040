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

/** What the plan of a session says about decisions. There is no plan after the end. */
const readPlan = async (db: Db, key: OfSession) => ({
  asks: await selectAsks(db, key),
  lines: await selectDependentLines(db, key),
})

export const makeDecision: Handler<'makeDecision'> = async (request) => {
  const { session, decision } = await withSession(
    request,
    (trx, found) => decide(trx, request, found),
    { repeated: (trx, found) => decidedBefore(trx, request, found) },
  )
  request.server.sessionStreams.wake(session._id)
  return forParticipants(session, decision)
}
