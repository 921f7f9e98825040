import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { rateLimited } from '../errors.js'
import { readBearerToken } from '../identity/access-tokens.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** By what its rate is limited, where that is not its address. */
    limitedAs: string | null
  }
}

const perMinute = 6000
/** Of operations that hash a password for a stranger, and of API keys that do not work. */
const perMinuteOfStrangers = 300

/**
 * Limits requests by who is proven to ask: by the user of a valid access token, by an API key that
 * works, else by address. What hashes a password for a stranger has a stricter limit of its own.
 * What may refuse a request comes later, so that refusals count.
 */
async function limitRequests(app: FastifyInstance): Promise<void> {
  if (!app.config.rateLimit) return
  await app.register(rateLimit, {
    global: false,
    max: (request) => (hashesForStrangers(request) ? perMinuteOfStrangers : perMinute),
    timeWindow: '1 minute',
    cache: 20_000,
    enableDraftSpec: true,
    keyGenerator: (request) => request.limitedAs ?? request.network,
    errorResponseBuilder: (_request, { ttl }) => rateLimited(Math.ceil(ttl / 1000)),
  })
  const limit = app.rateLimit()
  const limitedAs = limitsOf(app)
  app.decorateRequest('limitedAs', null)
  // For every route and for none: an unknown path counts as well.
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.rateLimit === false) return
    request.limitedAs = await limitedAs(request, reply)
    await limit.call(app, request, reply)
  })
}

export const rateLimits = fp(limitRequests, {
  name: 'rate-limits',
  dependencies: ['cors', 'request-turns'],
  decorators: { fastify: ['authenticator', 'config', 'tokens'] },
})

/** By what a request is counted; null for its address. */
function limitsOf(app: FastifyInstance) {
  const failedKeys = app.createRateLimit({
    max: perMinuteOfStrangers,
    keyGenerator: (request) => request.network,
  })

  /**
   * The id of an API key that works. The database is asked, so an address that has sent many wrong
   * keys may send none that has never worked.
   */
  async function workingKeyOf(request: FastifyRequest, key: string, reply: FastifyReply) {
    if (!app.authenticator.hasWorked(key)) {
      const failed = await failedKeys(request, { increment: false })
      if (!failed.isAllowed && failed.remaining === 0) throw refuse(reply, failed)
    }
    const caller = await app.authenticator.ofApiKey(key, request.network)
    if (!caller) await failedKeys(request)
    return caller?.api_key_id ?? null
  }

  return (request: FastifyRequest, reply: FastifyReply): Promise<string | null> | string | null => {
    const { authorization, 'x-api-key': key } = request.headers
    const { operationId } = request.routeOptions.config.operation ?? {}
    if (hashesForStrangers(request)) return `${operationId} ${request.network}`
    const token = readBearerToken(authorization)
    if (token) return userOf(app, token)
    return typeof key === 'string' ? workingKeyOf(request, key, reply) : null
  }
}

function refuse(reply: FastifyReply, { max, ttlInSeconds }: { max: number; ttlInSeconds: number }) {
  reply.headers({
    'ratelimit-limit': max,
    'ratelimit-remaining': 0,
    'ratelimit-reset': ttlInSeconds,
  })
  return rateLimited(ttlInSeconds)
}

/** The user of a valid token, in all of their sessions; a token that is invented has none. */
function userOf({ tokens }: FastifyInstance, token: string): string | null {
  try {
    return tokens.verify(token).sub
  } catch {
    return null
  }
}

const hashing = new Set<string | undefined>(['register', 'acceptInvitation', 'resetPassword'])

/** Whether a request makes the service hash a password before it knows who asks. */
function hashesForStrangers({ routeOptions }: FastifyRequest): boolean {
  return hashing.has(routeOptions.config.operation?.operationId)
}
