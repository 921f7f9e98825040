import type { FastifyInstance } from 'fastify'

/**
 * Pino's options. Headers and bodies are never logged, and of an error only what cannot hold a
 * value: a database error carries the parameters of its statement.
 */
export function loggerOptions(level: string) {
  return {
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
  }
}

/** One line a request, when it is done, without its query. */
export function logRequests(app: FastifyInstance): void {
  if (!['trace', 'debug', 'info'].includes(app.log.level)) return
  app.addHook('onResponse', (request, reply, done) => {
    const { method, originalUrl, ip, caller } = request
    const [path] = originalUrl.split('?')
    const answer = { status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
    request.log.info({ method, path, ip, user_id: caller?.user_id, ...answer }, 'request')
    done()
  })
}
