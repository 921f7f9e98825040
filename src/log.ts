import type { FastifyBaseLogger } from 'fastify'
import pino from 'pino'

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
