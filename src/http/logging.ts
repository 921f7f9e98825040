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

/** Logs one line for each request when it is done, without its query. */
async function logRequests(app: FastifyInstance): Promise<void> {
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

export const logging = fp(logRequests, { name: 'logging' })
