import { sql } from 'kysely'
import { type ParametersOf, prepare } from '../database/statements.js'

/** What is counted together. */
export interface AttemptKey {
  email: string
  kind: string
  ip: string
}

interface NewAttempt extends AttemptKey {
  now: string
  /** When an attempt that is the first one expires, and with it those that are made until then. */
  expires_at: string
  most: number
}

/** Counts an attempt where one is left, and answers nothing where none is. */
export const takeAttempt = prepare(
  'take_attempt',
  (db, { now, most, ...key }: ParametersOf<NewAttempt>) => {
    const hasExpired = sql<boolean>`attempts.expires_at <= ${now}`
    return db
      .insertInto('attempts')
      .values({ ...key, made: 1 })
      .onConflict((conflict) =>
        conflict
          .constraint('attempts_primary_key')
          .doUpdateSet({
            made: sql<number>`case when ${hasExpired} then 1 else attempts.made + 1 end`,
            expires_at: sql<string>`case when ${hasExpired} then excluded.expires_at
              else attempts.expires_at end`,
          })
          .where(sql<boolean>`${hasExpired} or attempts.made < ${most}`),
      )
      .returning('expires_at')
  },
)

export const selectAttempts = prepare(
  'select_attempts',
  (db, { email, kind, ip }: ParametersOf<AttemptKey>) =>
    db
      .selectFrom('attempts')
      .select(['made', 'expires_at'])
      .where('email', '=', email)
      .where('kind', '=', kind)
      .where('ip', '=', ip),
)

/** Uncounts an attempt, unless others are counted by now. */
export const giveAttemptBack = prepare(
  'give_attempt_back',
  (db, { email, kind, ip, expires_at }: ParametersOf<AttemptKey & { expires_at: string }>) =>
    db
      .updateTable('attempts')
      .set((eb) => ({ made: eb('made', '-', 1) }))
      .where('email', '=', email)
      .where('kind', '=', kind)
      .where('ip', '=', ip)
      .where('expires_at', '=', expires_at)
      .where('made', '>', 0),
)

export const deleteExpiredAttempts = prepare(
  'delete_expired_attempts',
  (db, { now }: ParametersOf<{ now: string }>) =>
    db.deleteFrom('attempts').where('expires_at', '<=', now),
)
