import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { Database } from '../database/schema.js'
import { sessionNotFound } from '../errors.js'
import { advance } from './advance.js'
import { isDue, isRunning } from './lifecycle.js'
import { type LockedSession, type SessionKey, selectSessionForUpdate } from './queries.js'

/** Whether something is due in a session that the service posts, or its end. */
export const isBehind = (session: LockedSession) => isRunning(session) && isDue(session)

/**
 * Posts some of what is due in a locked session. Returns the session once nothing is due: before
 * somebody speaks in it or steers it, it stands where its clock says. Returns null while more is due:
 * the caller commits and comes again, so that a long history is no long transaction.
 */
export async function caughtUp(
  trx: Transaction<Database>,
  { id }: Pick<FastifyRequest, 'id'>,
  locked: LockedSession,
): Promise<LockedSession | null> {
  if (!isRunning(locked) || !isDue(locked)) return locked
  // It would have been posted without the caller.
  await advance(trx, { id, caller: null }, locked)
  const session = await readAgain(trx, locked)
  return isBehind(session) ? null : session
}

/** Repeats a step, each a transaction of its own, until it comes to a result. */
export async function inSteps<Result extends object>(
  step: () => Promise<Result | null>,
): Promise<Result> {
  let result = await step()
  // Each step posts at least one line of a plan that has an end.
  while (result === null) result = await step()
  return result
}

/** A locked session as it has become in the transaction, at the time that it is by now. */
export async function readAgain(
  trx: Transaction<Database>,
  locked: SessionKey,
): Promise<LockedSession> {
  const session = await selectSessionForUpdate(trx, locked)
  if (!session) throw sessionNotFound()
  return session
}
