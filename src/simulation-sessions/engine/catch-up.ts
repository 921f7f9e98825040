import type { FastifyRequest } from 'fastify'
import type { Trx } from '../../database/schema.js'
import { sessionNotFound } from '../../errors.js'
import { isDue, isRunning } from '../lifecycle.js'
import { type LockedSession, type SessionKey, selectSessionForUpdate } from '../queries.js'
import { advance } from './advance.js'

/** Whether a running session has due lines, or is past its end. */
export const isBehind = (session: LockedSession) => isRunning(session) && isDue(session)

/**
 * Posts a batch of the due lines of a locked session, so that a request which posts a message or steers
 * the session finds it up to date. Returns the session once nothing is due. Returns null while more is
 * due: the caller commits and calls again, so that a long history is not one long transaction.
 */
export async function catchUp(
  trx: Trx,
  { id }: Pick<FastifyRequest, 'id'>,
  locked: LockedSession,
): Promise<LockedSession | null> {
  if (!isRunning(locked) || !isDue(locked)) return locked
  // The audit trail names no caller: the service posts these lines anyway.
  await advance(trx, { id, caller: null }, locked)
  const session = await reload(trx, locked)
  return isBehind(session) ? null : session
}

/** Repeats a step until it returns a result. Each step is a transaction of its own. */
export async function repeatUntilDone<Result extends object>(
  step: () => Promise<Result | null>,
): Promise<Result> {
  let result = await step()
  // Ends, because each step posts at least one line of the plan.
  while (result === null) result = await step()
  return result
}

/** Reads a locked session again, with the present time. */
export async function reload(trx: Trx, locked: SessionKey): Promise<LockedSession> {
  const session = await selectSessionForUpdate(trx, locked)
  if (!session) throw sessionNotFound()
  return session
}
