import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readBearerToken } from './auth/tokens.js'
import { rateLimited } from './errors.js'

/** Attempts that are counted per account and address. */
export interface Attempts {
  /** Throws 429 when there were too many. */
  check(request: AttemptRequest): Promise<void>
  count(request: AttemptRequest): Promise<void>
}

/** Failed logins: ten in 15 minutes. Reset links: five an hour, so that nobody floods a mailbox. */
export interface AttemptLimits {
  failedLogins: Attempts
  passwordResets: Attempts
}
type AttemptRequest = Pick<FastifyRequest, 'ip' | 'caller' | 'body'>

/**
 * Limits requests by the token they carry, or else by address; what hashes a password for a stranger
 * has a stricter limit of its own. To be awaited before the hooks that may refuse a request, so that
 * refusals count.
 */
export async function limitRequests(app: FastifyInstance, isOn: boolean): Promise<AttemptLimits> {
  const unlimited = { check: async () => {}, count: async () => {} }
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
    failedLogins: limitAttempts(app, 'login', 10, '15 minutes'),
    passwordResets: limitAttempts(app, 'reset', 5, '1 hour'),
  }
}

function limitAttempts(
  app: FastifyInstance,
  what: string,
  max: number,
  timeWindow: string,
): Attempts {
  const limit = app.createRateLimit({
    max,
    timeWindow,
    keyGenerator: (request) => `${what} ${request.ip} ${accountOf(request)}`,
  })
  return {
    check: async (request) => {
      const status = await limit(request as FastifyRequest, { increment: false })
      if (!status.isAllowed && status.remaining <= 0) throw rateLimited(status.ttlInSeconds)
    },
    count: async (request) => {
      await limit(request as FastifyRequest)
    },
  }
}

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

/** Whose password is being guessed: the caller's own, or that of the e-mail address given. */
function accountOf({ caller, body }: AttemptRequest): string {
  if (caller) return caller.user_id
  const { email } = body as { email: string }
  return email.trim().toLowerCase()
}
