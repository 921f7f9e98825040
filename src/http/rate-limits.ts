import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { rateLimited } from '../errors.js'
import { readBearerToken } from '../identity/access-tokens.js'

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

/** Failed logins: ten in 15 minutes. Reset links: five an hour, so that nobody floods a mailbox. */
export interface AttemptLimits {
  failedLogins: Attempts
  passwordResets: Attempts
}

interface Attempt {
  email: string
  ip: string
}

/**
 * Limits requests by the token they carry, or else by address; what hashes a password for a stranger
 * has a stricter limit of its own. To be awaited before the hooks that may refuse a request, so that
 * refusals count.
 */
export async function limitRequests(app: FastifyInstance, isOn: boolean): Promise<AttemptLimits> {
  if (!isOn) return { failedLogins: unlimited, passwordResets: unlimited }
  await app.register(rateLimit, {
    global: false,
    max: (request) => (hashesForStrangers(request) ? 300 : 6000),
    timeWindow: '1 minute',
    cache: 20_000,
    enableDraftSpec: true,
    keyGenerator: (request) =>
      hashesForStrangers(request)
        ? `${request.routeOptions.config.operationId} ${request.ip}`
        : (sessionOf(request) ?? request.ip),
    errorResponseBuilder: (_request, { ttl }) => rateLimited(Math.ceil(ttl / 1000)),
  })
  const limit = app.rateLimit()
  // For every route and for none: an unknown path counts as well.
  app.addHook('onRequest', async function (request, reply) {
    if (request.routeOptions.config.rateLimit !== false) await limit.call(this, request, reply)
  })
  return {
    failedLogins: limitAttempts({ points: 10, duration: 15 * 60 }),
    passwordResets: limitAttempts({ points: 5, duration: 60 * 60 }),
  }
}

const unlimited: Attempts = { count: async () => {}, guess: (_attempt, make) => make() }

function limitAttempts(options: { points: number; duration: number }): Attempts {
  const limiter = new RateLimiterMemory(options)

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

/** The session of a valid token; whoever invents tokens is counted by address. */
function sessionOf({ headers, server }: FastifyRequest): string | undefined {
  const token = readBearerToken(headers.authorization)
  try {
    return token && server.tokens.verify(token).sid
  } catch {
    return undefined
  }
}

const hashing = new Set<string | undefined>(['register', 'acceptInvitation', 'resetPassword'])

/** Whether a request makes the service hash a password before it knows who asks. */
function hashesForStrangers({ routeOptions }: FastifyRequest): boolean {
  return hashing.has(routeOptions.config.operationId)
}
