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

/** Adds the id of the request to every answer. */
export const requestId = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id)
      done()
    })
  },
  { name: 'request-id' },
)
