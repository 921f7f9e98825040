import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { Database } from '../database/schema.js'
import { sessionNotFound } from '../errors.js'
import { advance } from './advance.js'
import { isDue, isRunning } from './lifecycle.js'
import { type LockedSession, type SessionKey, selectSessionForUpdate } from './queries.js'

/**
 * A locked session after all that is due in it: before somebody speaks in it or steers it, it stands
 * where its clock says, and an outage is behind it.
 */
export async function caughtUp(
  trx: Transaction<Database>,
  { id }: Pick<FastifyRequest, 'id'>,
  locked: LockedSession,
): Promise<LockedSession> {
  let session = locked
  while (isRunning(session) && isDue(session)) {
    // It would have been posted without the caller.
    await advance(trx, { id, caller: null }, session)
    session = await readAgain(trx, session)
  }
  return session
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
