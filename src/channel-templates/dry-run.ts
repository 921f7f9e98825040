import type { Db, Trx } from '../database/schema.js'

/**
 * Writes in a transaction. A dry run is rolled back at the end, so it meets the same errors as a real
 * one, also those of the database's constraints.
 */
export async function writeOrTry<T>(
  db: Db,
  isDryRun: boolean,
  write: (trx: Trx) => Promise<T>,
): Promise<T> {
  const rollback = new Error('This was a dry run')
  const answers: T[] = []
  try {
    return await db.transaction().execute(async (trx) => {
      const answer = await write(trx)
      if (!isDryRun) return answer
      answers.push(answer)
      throw rollback
    })
  } catch (error) {
    const [answer] = answers
    if (error !== rollback || answer === undefined) throw error
    return answer
  }
}
