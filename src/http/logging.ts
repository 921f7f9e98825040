import { type FastifyInstance, LogController } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The log level of the line about a request. */
    logLevel?: 'info' | 'debug'
  }
}

/** Fastify's own log lines: none about requests, and the request id under our name. */
export const logController = new LogController({
  disableRequestLogging: true,
  requestIdLogLabel: 'request_id',
})

/** The beginning of a path, without the query. No path of an operation is longer. */
export const loggedPath = (url: string): string => url.slice(0, 200).split('?', 1)[0] ?? ''

/**
 * Logs one line for each request when it is done. Those that are refused by a rate limit have the level debug:
 * one caller could fill the disk with them.
 */
async function logRequests(app: FastifyInstance): Promise<void> {
  if (!['trace', 'debug', 'info'].includes(app.log.level)) return
  app.addHook('onResponse', (request, reply, done) => {
    const { method, originalUrl, ip, caller, routeOptions } = request
    const path = loggedPath(originalUrl)
    const answer = { status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
    const line = { method, path, ip, user_id: caller?.user_id, ...answer }
    const isRefused = reply.statusCode === 429
    request.log[isRefused ? 'debug' : (routeOptions.config.logLevel ?? 'info')](line, 'request')
    done()
  })
}

export const logging = fp(logRequests, { name: 'logging' })
