import { LRUCache } from 'lru-cache'
import { rateLimited } from '../errors.js'
import { normalizeEmail } from './email.js'

/** Attempts at the account of an e-mail address from one address of the network. */
export interface Attempts {
  /** Counts an attempt. Throws 429 when none is left. */
  count(attempt: Attempt): void
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
export const unlimited: Attempts = { count: () => {}, guess: (_attempt, make) => make() }

interface Count {
  made: number
  /** Of these, the guesses that may yet be given back. */
  underWay: number
}

/** Seconds after which guesses that are under way will have been answered. */
const soon = 1

/** Whoever invents addresses makes the oldest counts go, not the memory grow. */
const mostKept = 20_000

/** Wrong guesses of a password: ten in 15 minutes. */
export const limitFailedLogins = () => limitAttempts(10, 15 * 60)

/** Reset links: five an hour, so that nobody floods a mailbox. */
export const limitPasswordResets = () => limitAttempts(5, 60 * 60)

/** At most so many attempts in so many seconds. */
export function limitAttempts(most: number, seconds: number): Attempts {
  const counts = new LRUCache<string, Count>({ max: mostKept, ttl: seconds * 1000 })

  function take(attempt: Attempt): Count {
    const key = `${attempt.ip} ${normalizeEmail(attempt.email)}`
    const count = counts.get(key) ?? { made: 0, underWay: 0 }
    const isSettled = count.made - count.underWay >= most
    if (isSettled) throw rateLimited(Math.ceil(counts.getRemainingTTL(key) / 1000))
    if (count.made >= most) throw rateLimited(soon)
    if (count.made === 0) counts.set(key, count)
    count.made++
    return count
  }

  async function guess<T>(attempt: Attempt, make: () => Promise<T | null>): Promise<T | null> {
    const count = take(attempt)
    count.underWay++
    let wasWrong = false
    try {
      const made = await make()
      wasWrong = made === null
      return made
    } finally {
      count.underWay--
      if (!wasWrong) count.made--
    }
  }
  return { count: (attempt) => void take(attempt), guess }
}
