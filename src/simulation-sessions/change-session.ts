import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { sessionNotFound } from '../errors.js'
import { answerWith } from './answer.js'
import { caughtUp, inSteps, isBehind, readAgain } from './catch-up.js'
import { lockSession } from './find-session.js'
import { type LockedSession, type SessionKey, selectSession } from './queries.js'

type Request = Pick<FastifyRequest, 'id' | 'log' | 'caller' | 'db' | 'server'> & {
  params: { session_id: string }
}
type Answer = Schema<'SimulationSession'>

/**
 * Changes a session, after all that is due in it, while nobody else changes it. Answers with the
 * session after all that is due by then. Throws 409 `busy` while another request holds the session.
 */
export async function changeSession(
  request: Request,
  reply: FastifyReply,
  change: (trx: Transaction<Database>, session: LockedSession) => Promise<void>,
): Promise<Answer> {
  const { db } = request
  const { key, answer } = await inSteps(() =>
    db.transaction().execute(async (trx) => {
      const { session: locked } = await lockSession(trx, request, 'for a moment')
      const session = await caughtUp(trx, request, locked)
      if (!session) return null
      await change(trx, session)
      const after = await readAgain(trx, session)
      return {
        key: after,
        answer: isBehind(after) ? null : await answerWith(reply, trx, after, after.now),
      }
    }),
  )
  return answer ?? answerCaughtUp(request, reply, key)
}

/** Posts what a change has made due, and answers with the session after that. */
async function answerCaughtUp(
  request: Request,
  reply: FastifyReply,
  { organization_id, _id }: SessionKey,
): Promise<Answer> {
  const { db } = request
  try {
    await inSteps(() =>
      db.transaction().execute(async (trx) => {
        return caughtUp(trx, request, await readAgain(trx, { organization_id, _id }))
      }),
    )
  } catch (err) {
    // The change itself is made. The service tries again by itself, and says why where it gives up.
    request.log.error({ err, session_id: _id }, 'a session does not go on')
  }
  const session = await selectSession(db, { organization_id }, _id)
  if (!session) throw sessionNotFound()
  return answerWith(reply, db, session, session.now)
}
