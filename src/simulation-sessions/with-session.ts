import type { FastifyRequest } from 'fastify'
import type { Trx } from '../database/schema.js'
import { advance } from './engine/advance.js'
import { type FoundSession, lockSession, type Wait } from './find-session.js'
import { isDue, isRunning } from './lifecycle.js'
import type { LockedSession } from './queries.js'

type Request = Pick<FastifyRequest, 'id' | 'caller' | 'db' | 'server'> & {
  params: { session_id: string }
}
type Work<Result> = (trx: Trx, found: FoundSession) => Promise<Result>

interface Options<Result> {
  wait?: Wait
  /** Returns the result of an earlier request that was the same, before anything is posted. */
  repeated?: Work<Result | undefined>
}

/**
 * Runs work on the session in the path, in one transaction. The session is locked, and nothing is due in
 * it. What was due is posted first, each batch in a transaction of its own: a long history is not one long
 * transaction, and an error of the work does not undo it.
 */
export async function withSession<Result>(
  request: Request,
  work: Work<Result>,
  { wait, repeated }: Options<Result> = {},
): Promise<Result> {
  async function attempt(trx: Trx): Promise<{ result: Result } | null> {
    const found = await lockSession(trx, request, wait)
    const known = await repeated?.(trx, found)
    if (known !== undefined) return { result: known }
    if (await postDue(trx, request, found.session)) return null
    return { result: await work(trx, found) }
  }

  // Ends, because each attempt before the last one posts at least one line of the plan.
  for (;;) {
    const done = await request.db.transaction().execute(attempt)
    if (done) return done.result
  }
}

/** Whether a running session has due lines, or is past its end. */
export const isBehind = (session: LockedSession) => isRunning(session) && isDue(session)

/** Posts a batch of the due lines of a locked session. Returns false if nothing is due. */
async function postDue(
  trx: Trx,
  { id }: Pick<FastifyRequest, 'id'>,
  session: LockedSession,
): Promise<boolean> {
  if (!isRunning(session) || !isDue(session)) return false
  // The audit trail names no caller: the service posts these lines anyway.
  await advance(trx, { id, caller: null }, session)
  return true
}
