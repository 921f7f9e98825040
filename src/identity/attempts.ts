import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { rateLimited } from '../errors.js'

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

/** At most so many attempts in so many seconds. */
export function limitAttempts(points: number, duration: number): Attempts {
  const limiter = new RateLimiterMemory({ points, duration })

  async function count(attempt: Attempt): Promise<void> {
    const key = keyOf(attempt)
    try {
      await limiter.consume(key)
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      // What is refused is not made: counted, it would use up what others are about to give back.
      await limiter.reward(key)
      throw rateLimited(Math.ceil(refusal.msBeforeNext / 1000))
    }
  }

  async function guess<T>(attempt: Attempt, make: () => Promise<T | null>): Promise<T | null> {
    await count(attempt)
    let wasWrong = false
    try {
      const made = await make()
      wasWrong = made === null
      return made
    } finally {
      if (!wasWrong) await limiter.reward(keyOf(attempt))
    }
  }
  return { count, guess }
}

const keyOf = ({ email, ip }: Attempt) => `${ip} ${email.trim().toLowerCase()}`
