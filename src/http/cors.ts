import fastifyCors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

const rates = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']
const paging = ['link', 'x-total-count']
const exposedHeaders = [
  'etag',
  'content-disposition',
  'x-request-id',
  'retry-after',
  'x-ignored-fields',
  ...paging,
  ...rates,
]
/** How many seconds a browser caches a preflight. Chromium allows at most two hours. */
const maxAge = 7_200
const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH']

/** Allows the configured origins to call from a browser; none by default. */
async function admitOrigins(app: FastifyInstance): Promise<void> {
  const { corsOrigins: origin } = app.config
  if (origin.length > 0)
    await app.register(fastifyCors, { origin, methods, exposedHeaders, maxAge })
}

export const cors = fp(admitOrigins, {
  name: 'cors',
  dependencies: ['request-id'],
  decorators: { fastify: ['config'] },
})
