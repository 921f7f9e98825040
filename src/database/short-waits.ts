import { sql } from 'kysely'
import { busy } from '../errors.js'
import { lockTimeoutMs } from './connections/postgres.js'
import type { CodedError } from './errors.js'
import type { Trx } from './schema.js'

/** Longer than the service usually locks a row. */
const briefMs = 250

/**
 * Runs a statement that locks a row, and throws 409 `busy` if it has to wait for long: while it waits it
 * holds a connection that others need.
 */
export async function waitBriefly<Result>(trx: Trx, lock: () => Promise<Result>): Promise<Result> {
  // Passes the lock timeout on to the nodes of a cluster. Without Citus this has no effect.
  await sql`set local citus.propagate_set_commands to 'local'`.execute(trx)
  await sql`set local lock_timeout to ${sql.lit(briefMs)}`.execute(trx)
  try {
    const result = await lock()
    await sql`set local lock_timeout to ${sql.lit(lockTimeoutMs)}`.execute(trx)
    return result
  } catch (error) {
    throw isLockTimeout(error as CodedError) ? busy() : error
  }
}

/** Citus does not always pass on the error code of a node. */
const isLockTimeout = ({ code, message }: CodedError) =>
  code === '55P03' || message === 'canceling statement due to lock timeout'
