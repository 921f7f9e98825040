import type { Db, Trx } from '../database/schema.js'

/**
 * A transaction that may change users' access. Queries that end sessions, set passwords, revoke keys,
 * and change or delete users require one, and add the users to `changed`.
 */
export interface AccessTransaction extends Trx {
  /** The ids of users whose access the transaction changes. */
  readonly changed: Set<string>
}

/** Runs a transaction. After its commit, it invalidates the cached access of the changed users. */
export async function changeAccess<T>(
  db: Db,
  work: (trx: AccessTransaction) => Promise<T>,
  invalidate: (user_id: string) => void = () => {},
): Promise<T> {
  const changed = new Set<string>()
  const result = await db.transaction().execute((trx) => work(Object.assign(trx, { changed })))
  for (const user_id of changed) invalidate(user_id)
  return result
}
