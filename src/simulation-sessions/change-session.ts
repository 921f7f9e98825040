import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import { sessionNotFound } from '../errors.js'
import { catchUp, isBehind, reload, repeatUntilDone } from './engine/catch-up.js'
import { lockSession } from './find-session.js'
import { type LockedSession, type SessionKey, selectSession } from './queries.js'
import { answerWith } from './session-answer.js'

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
  const { db } = request
  const { key, answer } = await repeatUntilDone(() =>
    db.transaction().execute(async (trx) => {
      const { session: locked } = await lockSession(trx, request, 'for a moment')
      const session = await catchUp(trx, request, locked)
      if (!session) return null
      await change(trx, session)
      const after = await reload(trx, session)
      return {
        key: after,
        answer: isBehind(after) ? null : await answerWith(reply, trx, after, after.now),
      }
    }),
  )
  return answer ?? answerCaughtUp(request, reply, key)
}

/** Posts what a change made due, and answers with the session after that. */
async function answerCaughtUp(
  request: Request,
  reply: FastifyReply,
  { organization_id, _id }: SessionKey,
): Promise<Answer> {
  const { db } = request
  try {
    await repeatUntilDone(() =>
      db.transaction().execute(async (trx) => {
        return catchUp(trx, request, await reload(trx, { organization_id, _id }))
      }),
    )
  } catch (err) {
    // The change is committed. The engine tries again, and stores the reason if it gives up.
    request.log.error({ err, session_id: _id }, 'session could not advance')
  }
  const session = await selectSession(db, { organization_id }, _id)
  if (!session) throw sessionNotFound()
  return answerWith(reply, db, session, session.now)
}
