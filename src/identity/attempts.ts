import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { rateLimited } from '../errors.js'
import * as queries from './attempt-queries.js'
import { normalizeEmail } from './email.js'

/** Attempts at the account of an e-mail address from one address of the network. */
export interface Attempts {
  /** Counts an attempt. Throws 429 when none is left. */
  count(attempt: Attempt): Promise<void>
  /**
   * Counts a guess before it is made, so that a burst makes no more than one after the other, and
   * gives it back unless it was wrong, that is null. Throws 429 when none is left.
   */
  guess<T>(attempt: Attempt, make: () => Promise<T | null>): Promise<T | null>
}

interface Attempt {
  email: string
  /** The address of the network, or the organization, that attempts are counted of. */
  ip: string
}

/** While rate limits are off. */
export const unlimited: Attempts = { count: async () => {}, guess: (_attempt, make) => make() }

/** Wrong guesses of a password: ten in 15 minutes. */
export const limitFailedLogins = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'login', most: 10, seconds: 15 * 60 }, onError)

/** Reset links: five an hour, so that nobody floods a mailbox. */
export const limitPasswordResets = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'password_reset', most: 5, seconds: 60 * 60 }, onError)

/** Letters of invitation: an organization sends ten an hour to one address. */
export const limitInvitationLetters = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'invitation_letter', most: 10, seconds: 60 * 60 }, onError)

type OnError = (error: unknown) => void
/** The database in the turns of those that attempts are counted of. */
type DatabaseOf = (ip: string) => Kysely<Database>

/** Seconds after which guesses that are under way will have been answered. */
const soon = 1

const sweepEveryMs = 5 * 60 * 1000

/**
 * At most so many attempts in so many seconds, in all processes on the database together. `onError`
 * hears of what could not be tidied up; nobody has to wait or to fail for that.
 */
export function limitAttempts(
  dbOf: DatabaseOf,
  { kind, most, seconds }: { kind: string; most: number; seconds: number },
  onError: OnError,
): Attempts {
  let sweptAt = Number.NEGATIVE_INFINITY

  /** Takes an attempt, and gives the end of the time in which it counts. */
  async function take(key: queries.AttemptKey): Promise<string> {
    const now = Date.now()
    const expires_at = new Date(now + seconds * 1000).toISOString()
    const values = { ...key, expires_at, now: new Date(now).toISOString(), most }
    const db = dbOf(key.ip)
    const [taken] = await queries.takeAttempt(db, values)
    if (taken) return taken.expires_at
    const [count] = await queries.selectAttempts(db, key)
    const isSpent = count && count.spent >= most
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

  /** Forgets what counts no more, now and then, so that invented addresses do not pile up. */
  function sweep(): void {
    if (performance.now() - sweptAt < sweepEveryMs) return
    sweptAt = performance.now()
    const now = new Date().toISOString()
    queries.deleteExpiredAttempts(dbOf('expired attempts'), { now }).catch(onError)
  }

  const count = async (attempt: Attempt) => void (await guess(attempt, async () => null))
  return { count, guess }
}
