import type { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'
import { createId } from '../identifiers.js'

/** The caller's X-Request-Id where it is harmless to log and to store, else a new one. */
export function requestIdFrom({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const wanted = headers['x-request-id']
  return typeof wanted === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(wanted) ? wanted : createId()
}

/** Tells the id of a request in whatever answers it. */
export const requestId = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id)
      done()
    })
  },
  { name: 'request-id' },
)
