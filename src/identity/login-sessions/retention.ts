import type { FastifyBaseLogger } from 'fastify'
import { groupsOf } from '../../database/groups.js'
import type { Db } from '../../database/schema.js'
import { hourMs } from '../../process/clock.js'
import { type Repetition, repeat } from '../../process/repeat.js'
import { expiredSessions, type OldRows, usedTokens } from './retention-queries.js'

/** How many rows of all organizations are selected at once. */
const batchSize = 5_000
/** How many batches a run deletes at most. The next run continues. */
const maxBatches = 200

/** Deletes the refresh tokens that were used, and the login sessions that expired, more than a day ago. */
export async function forgetOldLogins(db: Db, isStopped = () => false) {
  const tokens = await deleteOldest(db, usedTokens, isStopped)
  // A login session can have had a million tokens. It is deleted after them, so that it takes few with it.
  const sessions = tokens.isComplete
    ? await deleteOldest(db, expiredSessions, isStopped)
    : { deleted: 0 }
  return { refresh_tokens: tokens.deleted, login_sessions: sessions.deleted }
}

/** Deletes old rows batch by batch. Returns how many, and whether it has come to the end of them. */
async function deleteOldest(db: Db, rows: OldRows, isStopped: () => boolean) {
  let deleted = 0
  for (let batch = 0; batch < maxBatches; batch++) {
    const found = await rows.select(db, batchSize)
    const before = deleted
    // A cluster cannot lock rows of several organizations in one statement.
    for (const [organization_id, own] of groupsOf(found, (row) => row.organization_id)) {
      if (isStopped()) return { deleted, isComplete: false }
      const keys = own.map(({ key }) => key)
      deleted += await rows.delete(db, organization_id, keys)
    }
    if (found.length < batchSize) return { deleted, isComplete: true }
    // Another process is deleting the same rows.
    if (deleted === before) break
  }
  return { deleted, isComplete: false }
}

/** Forgets old logins once an hour. The first time is at a random moment within an hour. */
export function keepForgettingLogins(
  db: Db,
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>,
  firstMs: number = Math.random() * hourMs,
): Repetition {
  async function forget(isStopped: () => boolean): Promise<void> {
    try {
      const deleted = await forgetOldLogins(db, isStopped)
      if (deleted.refresh_tokens + deleted.login_sessions === 0) return
      log.info(deleted, 'old logins deleted')
    } catch (err) {
      log.warn({ err }, 'old logins are not deleted')
    }
  }
  return repeat(forget, { firstMs, pauseMs: hourMs })
}
