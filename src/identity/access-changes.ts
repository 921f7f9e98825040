import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../database/schema.js'

/**
 * A transaction that may change who may do what: queries that end sessions, set passwords, revoke
 * keys, change or delete users ask for one, and name the users in it.
 */
export interface AccessTransaction extends Transaction<Database> {
  /** The users whose access it changes. */
  readonly changed: Set<string>
}

/** Runs a transaction and tells, after its commit, whoever remembers the users of their access. */
export async function changeAccess<T>(
  db: Kysely<Database>,
  work: (trx: AccessTransaction) => Promise<T>,
  invalidate: (user_id: string) => void = () => {},
): Promise<T> {
  const changed = new Set<string>()
  const result = await db.transaction().execute((trx) => work(Object.assign(trx, { changed })))
  for (const user_id of changed) invalidate(user_id)
  return result
}
