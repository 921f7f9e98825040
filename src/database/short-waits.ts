import { sql, type Transaction } from 'kysely'
import { busy } from '../errors.js'
import type { CodedError } from '../failures.js'
import { lockTimeoutMs } from './postgres.js'
import type { Database } from './schema.js'

/** Longer than the service itself holds a row in ordinary use. */
const momentMs = 250

/**
 * Runs a statement that locks a row, and waits for the row only for a moment: who waits holds a
 * connection, which others need. Throws 409 `busy` after that.
 */
export async function waitBriefly<Result>(
  trx: Transaction<Database>,
  lock: () => Promise<Result>,
): Promise<Result> {
  // A cluster waits on its nodes, which must know of it. Elsewhere the setting means nothing.
  await sql`set local citus.propagate_set_commands to 'local'`.execute(trx)
  await sql`set local lock_timeout to ${sql.lit(momentMs)}`.execute(trx)
  try {
    const result = await lock()
    await sql`set local lock_timeout to ${sql.lit(lockTimeoutMs)}`.execute(trx)
    return result
  } catch (error) {
    throw isLockTimeout(error as CodedError) ? busy() : error
  }
}

/** A cluster does not always pass on the code of a node. */
const isLockTimeout = ({ code, message }: CodedError) =>
  code === '55P03' || message === 'canceling statement due to lock timeout'
