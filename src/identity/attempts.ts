import { createHash } from 'node:crypto'
import { CompiledQuery, type Kysely } from 'kysely'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Database } from '../database/schema.js'
import { rateLimited } from '../errors.js'
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
  ip: string
}

/** While rate limits are off. */
export const unlimited: Attempts = { count: async () => {}, guess: (_attempt, make) => make() }

/** Wrong guesses of a password: ten in 15 minutes. */
export const limitFailedLogins = (db: Kysely<Database>) =>
  limitAttempts(db, { name: 'login', most: 10, seconds: 15 * 60 })

/** Reset links: five an hour, so that nobody floods a mailbox. */
export const limitPasswordResets = (db: Kysely<Database>) =>
  limitAttempts(db, { name: 'password_reset', most: 5, seconds: 60 * 60 })

/** Seconds after which guesses that are under way will have been answered. */
const soon = 1

/** What this process is trying with one key. */
interface Trying {
  begun: number
  ended: number
}

/** At most so many attempts in so many seconds, in all processes on the database together. */
export function limitAttempts(
  db: Kysely<Database>,
  { name, most, seconds }: { name: string; most: number; seconds: number },
): Attempts {
  const limit = { keyPrefix: name, points: most, duration: seconds }
  const limiter = new RateLimiterPostgres({
    ...limit,
    storeClient: { query: ({ text, values }: Statement) => run(db, text, values) },
    storeType: 'client',
    tableName: 'attempts',
    tableCreated: true,
    // A node of a cluster may be lost that has the count, and not the account.
    insuranceLimiter: new RateLimiterMemory(limit),
  })
  const trying = new Map<string, Trying>()

  async function guess<T>(attempt: Attempt, make: () => Promise<T | null>): Promise<T | null> {
    const key = keyOf(attempt)
    const own = trying.get(key) ?? { begun: 0, ended: 0 }
    trying.set(key, own)
    own.begun++
    const endedBefore = own.ended
    let wasWrong = false
    try {
      await limiter.consume(key).catch((refusal: unknown) => {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        // Those that may yet be given back: all that were under way at any time meanwhile.
        const underWay = own.begun - endedBefore
        const isSettled = refusal.consumedPoints - underWay >= most
        throw rateLimited(isSettled ? Math.ceil(refusal.msBeforeNext / 1000) : soon)
      })
      const made = await make()
      wasWrong = made === null
      return made
    } finally {
      // What was refused is given back as well: the limiter has counted it.
      if (!wasWrong) await limiter.reward(key)
      own.ended++
      if (own.ended === own.begun) trying.delete(key)
    }
  }

  const count = async (attempt: Attempt) => void (await guess(attempt, async () => null))
  return { count, guess }
}

interface Statement {
  text: string
  values: unknown[]
}

const run = (db: Kysely<Database>, text: string, values: unknown[]) =>
  db.executeQuery(CompiledQuery.raw(text, values))

/** What is counted says nothing of who tried to get in, nor of what was typed in the wrong field. */
const keyOf = ({ email, ip }: Attempt): string =>
  createHash('sha256')
    .update(`${ip} ${normalizeEmail(email)}`)
    .digest('base64url')
