import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { sql } from 'kysely'
import { unavailable } from '../errors.js'

/** How long work beside the requests may stand still. */
const standstillMs = 30_000

/** How often it is looked at, so that the log tells of it also when `/ready` is not asked. */
const lookEveryMs = 10_000

/** Work beside the requests, by the name under which `/ready` tells of it. */
export type Work = Record<string, { quietMs(): number }>

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether it is about to stop, and balancers should send their requests elsewhere. */
    isDraining: boolean
  }
}

/**
 * `/health` says that the process runs. `/ready` says that the database answers it as well, that it is
 * not about to stop, and that the work beside the requests comes round.
 */
async function answerHealthChecks(app: FastifyInstance, { work }: { work: Work }): Promise<void> {
  const stalledNow = watch(app, work)
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

/** Asks the database whether it answers. All who ask at the same time share one statement. */
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

/** Tells which work stands still. The log tells it once, and once that it comes round again. */
function watch(app: FastifyInstance, work: Work): () => string[] {
  let told = ''
  function stalledNow(): string[] {
    const stalled = Object.keys(work).filter((name) => Number(work[name]?.quietMs()) > standstillMs)
    if (told !== stalled.join()) {
      if (stalled.length > 0) app.log.error({ stalled }, 'work beside the requests stands still')
      else app.log.warn('work beside the requests comes round again')
    }
    told = stalled.join()
    return stalled
  }
  const timer = setInterval(stalledNow, lookEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  return stalledNow
}

export const health = fp(answerHealthChecks, {
  name: 'health',
  decorators: { fastify: ['dbOf'] },
})
