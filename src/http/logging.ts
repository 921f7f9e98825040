import { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import pino from 'pino'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The level of the line about an answered request. */
    logLevel?: 'info' | 'debug'
  }
}

/**
 * The log, as JSON lines on the standard output. Headers and bodies are never in it, and of an
 * error only what cannot hold a value: a database error carries the parameters of its statement.
 */
export function createLogger(level: string): FastifyBaseLogger {
  const destination = pino.destination({ dest: 1, sync: true })
  // Where nobody reads any more, a closed terminal for one, the service goes on without a log.
  destination.on('error', () => {})
  return pino(
    {
      level,
      redact: ['req.headers', 'headers', 'body', '*.password', '*.authorization', '*.cookie'],
      serializers: {
        err: (error: Error & { code?: string; constraint?: string }) => ({
          type: error.name,
          message: error.message,
          code: error.code,
          constraint: error.constraint,
          stack: error.stack ?? '',
        }),
      },
    },
    destination,
  )
}

/** Fastify's own lines: none about requests, and the same name for their id as everywhere else. */
export const logController = new LogController({
  disableRequestLogging: true,
  requestIdLogLabel: 'request_id',
})

/** One line a request, when it is done, without its query. */
export function logRequests(app: FastifyInstance): void {
  if (!['trace', 'debug', 'info'].includes(app.log.level)) return
  app.addHook('onResponse', (request, reply, done) => {
    const { method, originalUrl, ip, caller, routeOptions } = request
    const [path] = originalUrl.split('?')
    const answer = { status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
    const line = { method, path, ip, user_id: caller?.user_id, ...answer }
    request.log[routeOptions.config.logLevel ?? 'info'](line, 'request')
    done()
  })
}
