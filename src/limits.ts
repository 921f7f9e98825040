import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { rateLimited } from './errors.js'

/** Failed logins per account and address: ten in 15 minutes, then 429. */
export interface FailedLogins {
  /** Throws 429 when there were too many. */
  check(request: LoginRequest): Promise<void>
  count(request: LoginRequest): Promise<void>
}
type LoginRequest = FastifyRequest<{ Body: { email: string; password: string } }>

/**
 * Limits requests by the token they carry, or else by address; registrations get a stricter limit
 * of their own. To be awaited before the hooks that may refuse a request, so that refusals count.
 */
export async function limitRequests(app: FastifyInstance, isOn: boolean): Promise<FailedLogins> {
  if (!isOn) return { check: async () => {}, count: async () => {} }
  await app.register(rateLimit, {
    max: (request) => (isRegistration(request) ? 300 : 6000),
    timeWindow: '1 minute',
    cache: 20_000,
    enableDraftSpec: true,
    keyGenerator: (request) =>
      isRegistration(request)
        ? `register ${request.ip}`
        : (request.headers.authorization ?? request.ip),
    errorResponseBuilder: (_request, { ttl }) => rateLimited(Math.ceil(ttl / 1000)),
  })
  return countFailedLogins(app)
}

function countFailedLogins(app: FastifyInstance): FailedLogins {
  const limit = app.createRateLimit({
    max: 10,
    timeWindow: '15 minutes',
    // Only `login` asks, after its body was validated.
    keyGenerator: (request) =>
      `login ${request.ip} ${(request as LoginRequest).body.email.trim().toLowerCase()}`,
  })
  return {
    check: async (request) => {
      const status = await limit(request, { increment: false })
      if (!status.isAllowed && status.remaining <= 0) throw rateLimited(status.ttlInSeconds)
    },
    count: async (request) => {
      await limit(request)
    },
  }
}

function isRegistration({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.operationId === 'register'
}
