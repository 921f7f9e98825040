import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { sql } from 'kysely'
import { unavailable } from '../errors.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether it is about to stop, and balancers should send their requests elsewhere. */
    isDraining: boolean
  }
}

/**
 * `/health` says that the process runs, `/ready` that the database answers it as well and that it
 * is not about to stop.
 */
async function answerHealthChecks(app: FastifyInstance): Promise<void> {
  app.decorate('isDraining', false)
  const options = { config: { rateLimit: false as const, logLevel: 'debug' as const } }
  app.get('/health', options, async () => ({ status: 'ok' }))
  app.get('/ready', options, async () => {
    if (app.isDraining) throw unavailable()
    await sql`select 1`.execute(app.db)
    return { status: 'ready' }
  })
}

export const health = fp(answerHealthChecks, {
  name: 'health',
  decorators: { fastify: ['db'] },
})
