import type { Db } from '../../database/schema.js'
import { rateLimited } from '../../errors.js'
import { normalizeEmail } from '../email.js'
import { isLoopback } from '../network.js'
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

interface Attempt {
  email: string
  /** The network or the organization whose attempts are counted. */
  ip: string
}

/** An attempt that counts for its network, whatever the e-mail address is. */
export const attemptFrom = (network: string): Attempt => ({ email: network, ip: network })

/** Used while rate limits are off. */
export const unlimited: Attempts = { count: async () => {}, guess: (_attempt, make) => make() }

/** Ten wrong passwords in 15 minutes. */
export const limitFailedLogins = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'login', limit: 10, seconds: 15 * 60 }, onError)

/** A hundred wrong passwords in 15 minutes from one network, for all accounts together. */
export const limitFailuresOfNetworks = (dbOf: DatabaseOf, onError: OnError) =>
  limitNetworks(dbOf, { kind: 'network', limit: 100, seconds: 15 * 60 }, onError)

/** 300 unknown refresh tokens a minute from one network. */
export const limitUnknownTokens = (dbOf: DatabaseOf, onError: OnError) =>
  limitNetworks(dbOf, { kind: 'refresh_token', limit: 300, seconds: 60 }, onError)

/** So many registrations a day from one network, also those that were refused. */
export const limitRegistrations = (limit: number) => (dbOf: DatabaseOf, onError: OnError) =>
  limitNetworks(dbOf, { kind: 'registration', limit, seconds: 24 * 60 * 60 }, onError)

/** Ten unknown secrets of seat links in 15 minutes. */
export const limitSeatGuesses = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'seat', limit: 10, seconds: 15 * 60 }, onError)

/** Five reset links an hour, so that a mailbox is not flooded. */
export const limitPasswordResets = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'password_reset', limit: 5, seconds: 60 * 60 }, onError)

/** Ten invitation letters an hour from an organization to one address. */
export const limitInvitationLetters = (dbOf: DatabaseOf, onError: OnError) =>
  limitAttempts(dbOf, { kind: 'invitation_letter', limit: 10, seconds: 60 * 60 }, onError)

type OnError = (error: unknown) => void
/** The database, with queries in the queue of the counted address or organization. */
type DatabaseOf = (ip: string) => Db

/** The seconds until guesses in progress are answered. */
const soon = 1

const sweepEveryMs = 5 * 60 * 1000

interface AttemptLimit {
  kind: string
  limit: number
  seconds: number
}

/** Limits networks, but not this machine: behind a proxy that is not trusted, it stands for everyone. */
function limitNetworks(dbOf: DatabaseOf, limit: AttemptLimit, onError: OnError): Attempts {
  const attempts = limitAttempts(dbOf, limit, onError)
  const limitOf = ({ ip }: Attempt) => (isLoopback(ip) ? unlimited : attempts)
  return {
    count: (attempt) => limitOf(attempt).count(attempt),
    guess: (attempt, make) => limitOf(attempt).guess(attempt, make),
  }
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
