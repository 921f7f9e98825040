import type { FastifyBaseLogger } from 'fastify'
import pino from 'pino'
import { inOneLine } from './json-line.js'

let announcer: FastifyBaseLogger | undefined

/** Prints a text at any LOG_LEVEL: as it is on a terminal, else as one line of the log. */
export function announce(text: string, fields: object, line = text): void {
  if (process.stdout.isTTY) {
    console.log(text)
    return
  }
  announcer ??= createLogger('info')
  announcer.info(fields, line)
}

/**
 * Creates the log: JSON lines on the standard output. It never has headers or bodies, and only those
 * fields of an error that cannot have a value, because a database error has the statement's parameters.
 */
export function createLogger(level: string): FastifyBaseLogger {
  const destination = pino.destination({ dest: 1, sync: true })
  // If the output is closed, as with a closed terminal, the service goes on without a log.
  destination.on('error', () => {})
  return pino(
    {
      level,
      hooks: { streamWrite: inOneLine },
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
