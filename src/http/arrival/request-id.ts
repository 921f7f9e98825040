import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'

/** Returns the caller's X-Request-Id if it is safe to log and store, else a new id. */
export function requestIdFrom({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const wanted = headers['x-request-id']
  return typeof wanted === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(wanted)
    ? wanted
    : randomUUID()
}

/** Headers of every answer, unless its handler sets others: caches do not store it, and browsers use its type as it is. */
export const cautious = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Adds the id of the request, and these headers, to every answer. */
export const requestId = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id).headers(cautious)
      done()
    })
  },
  { name: 'request-id' },
)
