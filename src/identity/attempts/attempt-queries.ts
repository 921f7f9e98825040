import { sql } from 'kysely'
import type { Db } from '../../database/schema.js'
import { type ParametersOf, prepare } from '../../database/statements.js'

/** Attempts with the same key are counted together. */
export interface AttemptKey {
  email: string
  kind: string
  ip: string
}

interface NewAttempt extends AttemptKey {
  now: string
  /** When the attempts that are counted together expire. Applies if this is the first one. */
  expires_at: string
  limit: number
}

/** Counts an attempt if the limit allows it. Returns no row otherwise. */
export const takeAttempt = prepare(
  'take_attempt',
  (db, { now, limit, ...key }: ParametersOf<NewAttempt>) => {
    const hasExpired = sql<boolean>`attempts.expires_at <= ${now}`
    return db
      .insertInto('attempts')
      .values({ ...key, taken: 1 })
      .onConflict((conflict) =>
        conflict
          .constraint('attempts_primary_key')
          .doUpdateSet({
            taken: sql<number>`case when ${hasExpired} then 1 else attempts.taken + 1 end`,
            spent: sql<number>`case when ${hasExpired} then 0 else attempts.spent end`,
            expires_at: sql<string>`case when ${hasExpired} then excluded.expires_at
              else attempts.expires_at end`,
          })
          .where(sql<boolean>`${hasExpired} or attempts.taken < ${limit}`),
      )
      .returning('expires_at')
  },
)

export const selectAttempts = prepare(
  'select_attempts',
  (db, { email, kind, ip }: ParametersOf<AttemptKey>) =>
    db
      .selectFrom('attempts')
      .select(['taken', 'spent', 'expires_at'])
      .where('email', '=', email)
      .where('kind', '=', kind)
      .where('ip', '=', ip),
)

interface TakenAttempt extends AttemptKey {
  /** Identifies the period that the attempt was counted in. */
  expires_at: string
}

function updateAttempts(db: Db, attempt: ParametersOf<TakenAttempt>) {
  return db
    .updateTable('attempts')
    .where('email', '=', attempt.email)
    .where('kind', '=', attempt.kind)
    .where('ip', '=', attempt.ip)
    .where('expires_at', '=', attempt.expires_at)
}

/** The attempt failed: it counts until its period is over. */
export const spendAttempt = prepare('spend_attempt', (db, attempt: ParametersOf<TakenAttempt>) =>
  updateAttempts(db, attempt).set((eb) => ({ spent: eb('spent', '+', 1) })),
)

/** The attempt no longer counts. */
export const giveAttemptBack = prepare(
  'give_attempt_back',
  (db, attempt: ParametersOf<TakenAttempt>) =>
    updateAttempts(db, attempt).set((eb) => ({ taken: eb('taken', '-', 1) })),
)

export const deleteExpiredAttempts = prepare(
  'delete_expired_attempts',
  (db, { now }: ParametersOf<{ now: string }>) =>
    db.deleteFrom('attempts').where('expires_at', '<=', now),
)
