import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../database/schema.js'

/**
 * Does something in a transaction, and where it is only tried out undoes it at the end: it meets
 * all that would be met, the constraints of the database as well.
 */
export async function writeOrTry<T>(
  db: Kysely<Database>,
  isDryRun: boolean,
  write: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  const undo = new Error('This was a dry run')
  const tried: T[] = []
  try {
    return await db.transaction().execute(async (trx) => {
      const answer = await write(trx)
      if (!isDryRun) return answer
      tried.push(answer)
      throw undo
    })
  } catch (error) {
    const [answer] = tried
    if (error !== undo || answer === undefined) throw error
    return answer
  }
}
