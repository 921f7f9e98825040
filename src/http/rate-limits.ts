import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { rateLimited } from '../errors.js'
import { readBearerToken } from '../identity/login-sessions/access-tokens.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that the request counts under; null for its address. */
    limitedAs: string | null
  }
}

const perMinute = 6000
/** For callers without a token: requests that hash a password or look up a secret, and wrong API keys. */
const perMinuteOfStrangers = 300

/**
 * Limits requests by user or seat (with a valid access token), by API key (if it works), or else by
 * address. Operations without a token that hash a password or look up a secret have their own, stricter
 * limits. Comes before everything that may refuse a request, so that refusals count.
 */
async function limitRequests(app: FastifyInstance): Promise<void> {
  if (!app.config.rateLimit) return
  await app.register(rateLimit, {
    global: false,
    max: (request) => (isOfStranger(request) ? perMinuteOfStrangers : perMinute),
    timeWindow: '1 minute',
    cache: 20_000,
    enableDraftSpec: true,
    keyGenerator: (request) => request.limitedAs ?? request.network,
    errorResponseBuilder: (_request, { ttl }) => rateLimited(Math.ceil(ttl / 1000)),
  })
  const limit = app.rateLimit()
  const limitedAs = limitsOf(app)
  app.decorateRequest('limitedAs', null)
  // Not in `onRoute`, so that unknown paths count too.
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

/** Returns a function that finds the key under which a request counts; null for its address. */
function limitsOf(app: FastifyInstance) {
  const failedKeys = app.createRateLimit({
    max: perMinuteOfStrangers,
    keyGenerator: (request) => request.network,
  })

  /**
   * Returns the id of an API key that works. This queries the database, so an address with too many
   * wrong keys is refused, unless the key has worked before.
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
    if (isOfStranger(request)) return `${operationId} ${request.network}`
    const token = readBearerToken(authorization)
    if (token) return holderOf(app, token)
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

/** Returns the user of a token, or the place of a seat. Null if the token is not valid. */
function holderOf({ tokens }: FastifyInstance, token: string): string | null {
  try {
    const { seat, sub } = tokens.verify(token)
    return seat ?? sub
  } catch {
    return null
  }
}

/** Whether a request hashes a password or looks up a secret before the caller is known. */
const isOfStranger = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.operation?.isOfStrangers ?? false
