import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Schema } from '../../contract.js'
import type { Trx } from '../../database/schema.js'
import { sessionNotFound } from '../../errors.js'
import { findSession } from '../find-session.js'
import { type LockedSession, selectSessionForUpdate } from '../queries.js'
import { answerWith } from '../session-answer.js'
import { isBehind, withSession } from '../with-session.js'

type Request = Pick<FastifyRequest, 'id' | 'log' | 'caller' | 'db' | 'server'> & {
  params: { session_id: string }
}
type Answer = Schema<'SimulationSession'>

/**
 * Posts the due lines of a session, changes it, posts what the change made due, and answers with the
 * session. Throws 409 `busy` while another request holds the lock of the session.
 */
export async function changeSession(
  request: Request,
  reply: FastifyReply,
  change: (trx: Trx, session: LockedSession) => Promise<void>,
): Promise<Answer> {
  const answer = await withSession(
    request,
    async (trx, { session }) => {
      await change(trx, session)
      const after = await selectSessionForUpdate(trx, session)
      if (!after) throw sessionNotFound()
      return isBehind(after) ? null : answerWith(reply, trx, after, after.now)
    },
    { wait: 'for a moment' },
  )
  return answer ?? answerCaughtUp(request, reply)
}

/** Posts what a change made due, and answers with the session after that. */
async function answerCaughtUp(request: Request, reply: FastifyReply): Promise<Answer> {
  try {
    return await withSession(request, (trx, { session }) =>
      answerWith(reply, trx, session, session.now),
    )
  } catch (err) {
    // The change is committed. The engine tries again, and stores the reason if it gives up.
    request.log.error({ err, session_id: request.params.session_id }, 'session could not advance')
    const { session } = await findSession(request)
    return answerWith(reply, request.db, session, session.now)
  }
}
