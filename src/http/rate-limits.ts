import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { rateLimited } from '../errors.js'
import { readBearerToken } from '../identity/access-tokens.js'

/**
 * Limits requests by the token they carry, or else by address; what hashes a password for a stranger
 * has a stricter limit of its own. What may refuse a request comes later, so that refusals count.
 */
async function limitRequests(app: FastifyInstance): Promise<void> {
  if (!app.config.rateLimit) return
  await app.register(rateLimit, {
    global: false,
    max: (request) => (hashesForStrangers(request) ? 300 : 6000),
    timeWindow: '1 minute',
    cache: 20_000,
    enableDraftSpec: true,
    keyGenerator: (request) =>
      hashesForStrangers(request)
        ? `${request.routeOptions.config.operation?.operationId} ${request.ip}`
        : (sessionOf(request) ?? request.ip),
    errorResponseBuilder: (_request, { ttl }) => rateLimited(Math.ceil(ttl / 1000)),
  })
  const limit = app.rateLimit()
  // For every route and for none: an unknown path counts as well.
  app.addHook('onRequest', (request, reply) =>
    request.routeOptions.config.rateLimit === false ? notCounted : limit.call(app, request, reply),
  )
}

export const rateLimits = fp(limitRequests, {
  name: 'rate-limits',
  dependencies: ['cors'],
  decorators: { fastify: ['config', 'tokens'] },
})

const notCounted = Promise.resolve()

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
  return hashing.has(routeOptions.config.operation?.operationId)
}
