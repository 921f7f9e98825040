import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { sql } from 'kysely'
import { unavailable } from '../errors.js'

/** How long background work may stand still. */
const standstillMs = 30_000

/** How often it is checked, so that a standstill is logged even if `/ready` is not called. */
const checkEveryMs = 10_000

/** Background work by the name that `/ready` shows. */
export type BackgroundWork = Record<string, { quietMs(): number }>

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the service is about to stop, so that load balancers should use another one. */
    isDraining: boolean
  }
}

/**
 * `/health` shows that the process runs. `/ready` shows that it can serve: the database answers, the
 * process is not about to stop, and its background work makes progress.
 */
async function answerHealthChecks(
  app: FastifyInstance,
  { work }: { work: BackgroundWork },
): Promise<void> {
  const stalledNow = watchStandstill(app, work)
  const probe = probeOf(app)
  app.decorate('isDraining', false)
  const options = { config: { rateLimit: false as const, logLevel: 'debug' as const } }
  app.get('/health', options, async () => ({ status: 'ok' }))
  app.get('/ready', options, async (_request, reply) => {
    if (app.isDraining) throw unavailable()
    const stalled = stalledNow()
    if (stalled.length > 0) {
      const { statusCode, body, headers } = unavailable()
      return reply
        .code(statusCode)
        .headers(headers)
        .send({ ...body, stalled })
    }
    await probe()
    return { status: 'ready' }
  })
}

/** Checks that the database answers. Calls at the same time share one statement. */
function probeOf(app: FastifyInstance): () => Promise<unknown> {
  let underWay: Promise<unknown> | null = null
  return () => {
    const db = app.dbOf('readiness')
    underWay ??= sql`select 1`.execute(db).finally(() => {
      underWay = null
    })
    return underWay
  }
}

/** Returns a function that lists the work that stands still. Logs when this list changes. */
function watchStandstill(app: FastifyInstance, work: BackgroundWork): () => string[] {
  let logged = ''
  function stalledNow(): string[] {
    const stalled = Object.keys(work).filter((name) => Number(work[name]?.quietMs()) > standstillMs)
    if (logged !== stalled.join()) {
      if (stalled.length > 0) app.log.error({ stalled }, 'background work stands still')
      else app.log.warn('background work makes progress again')
    }
    logged = stalled.join()
    return stalled
  }
  const timer = setInterval(stalledNow, checkEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  return stalledNow
}

export const health = fp(answerHealthChecks, {
  name: 'health',
  decorators: { fastify: ['dbOf'] },
})
