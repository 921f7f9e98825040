import type { Db } from '../../database/schema.js'
import { ContractError, rateLimited } from '../../errors.js'
import { normalizeEmail } from '../email.js'
import * as queries from './attempt-queries.js'

/** Limits attempts for one e-mail address from one network, or all attempts from one network. */
export interface Attempts {
  /** Counts an attempt. Throws 429 when no attempt is left. */
  count(attempt: Attempt): Promise<void>
  /**
   * Counts a guess before it is made, so that many guesses at the same time cannot exceed the limit.
   * Gives it back if it was right, that is, if `make` does not return null. Throws 429 when no
   * guess is left.
   */
  guess<T>(attempt: Attempt, make: () => Promise<T | null>): Promise<T | null>
}

export interface Attempt {
  email: string
  /** The network or the organization whose attempts are counted. */
  ip: string
}

/** An attempt that is counted for a network or an organization only, not for an e-mail address. */
export const attemptFrom = (ip: string): Attempt => ({ email: ip, ip })

/** Used while rate limits are off. */
export const unlimited: Attempts = { count: async () => {}, guess: (_attempt, make) => make() }

export type OnError = (error: unknown) => void
/** The database, with queries in the queue of the counted address or organization. */
export type DatabaseOf = (ip: string) => Db

/** The seconds until guesses in progress are answered. */
const soon = 1

const sweepEveryMs = 5 * 60 * 1000

interface AttemptLimit {
  kind: string
  limit: number
  seconds: number
}

/**
 * Allows `limit` attempts in `seconds`, in all processes on the database together. Calls `onError` if
 * cleaning up fails. No request waits for that or fails with it.
 */
export function limitAttempts(
  dbOf: DatabaseOf,
  { kind, limit, seconds }: AttemptLimit,
  onError: OnError,
): Attempts {
  let sweptAt = Number.NEGATIVE_INFINITY

  /** Counts an attempt, and returns the end of its period. */
  async function take(key: queries.AttemptKey): Promise<string> {
    const now = Date.now()
    const expires_at = new Date(now + seconds * 1000).toISOString()
    const values = { ...key, expires_at, now: new Date(now).toISOString(), limit }
    const db = dbOf(key.ip)
    const [taken] = await queries.takeAttempt(db, values)
    if (taken) return taken.expires_at
    const [count] = await queries.selectAttempts(db, key)
    const isSpent = count && count.spent >= limit
    const wait = isSpent ? Math.ceil((Date.parse(count.expires_at) - now) / 1000) : soon
    throw rateLimited(Math.max(wait, soon))
  }

  async function guess<T>(attempt: Attempt, make: () => Promise<T | null>): Promise<T | null> {
    sweep()
    const key = { email: normalizeEmail(attempt.email), kind, ip: attempt.ip }
    const expires_at = await take(key)
    let settle = queries.giveAttemptBack
    try {
      const made = await make()
      if (made === null) settle = queries.spendAttempt
      return made
    } finally {
      await settle(dbOf(key.ip), { ...key, expires_at }).catch(onError)
    }
  }

  /** Deletes expired attempts now and then, so that invented addresses do not accumulate. */
  function sweep(): void {
    if (performance.now() - sweptAt < sweepEveryMs) return
    sweptAt = performance.now()
    const now = new Date().toISOString()
    queries.deleteExpiredAttempts(dbOf('expired attempts'), { now }).catch(onError)
  }

  const count = async (attempt: Attempt) => void (await guess(attempt, async () => null))
  return { count, guess }
}

/** Counts an attempt. Returns false when no attempt is left. */
export async function tryCount(attempts: Attempts, attempt: Attempt): Promise<boolean> {
  try {
    await attempts.count(attempt)
    return true
  } catch (error) {
    if (error instanceof ContractError && error.statusCode === 429) return false
    throw error
  }
}
