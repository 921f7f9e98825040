import type { Handler } from '../contract.js'
import { selectDecisions } from '../simulation-sessions/decisions/queries.js'
import { repeatUntilDone } from '../simulation-sessions/engine/catch-up.js'
import { findSession, requireJoined } from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import { decide } from './decide.js'
import { selectAsks, selectDependentLines } from './queries.js'
import { forLeaders, forParticipants } from './view.js'

export const listDecisions: Handler<'listDecisions'> = async (request) => {
  const { session, part } = await findSession(request)
  requireJoined(part)
  const { organization_id, _id: session_id } = session
  const of = { organization_id, session_id }
  // Not from a replica: a participant who has just decided must see it.
  const decisions = await selectDecisions(request.db, of)
  if (part.kind !== 'trainer') return decisions.map((one) => forParticipants(session, one))
  const asks = hasEnded(session.status) ? [] : await selectAsks(request.db, of)
  return forLeaders(session, decisions, asks, await selectDependentLines(request.db, of))
}

export const makeDecision: Handler<'makeDecision'> = async (request) => {
  const { db, server } = request
  const { session, decision } = await repeatUntilDone(() =>
    db.transaction().execute((trx) => decide(trx, request)),
  )
  server.sessionStreams.wake(session._id)
  return forParticipants(session, decision)
}
