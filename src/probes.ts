import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'

/** `/health` says that the process runs, `/ready` that the database answers it as well. */
export function answerProbes(app: FastifyInstance): void {
  const unlimited = { config: { rateLimit: false as const } }
  app.get('/health', unlimited, async () => ({ status: 'ok' }))
  app.get('/ready', unlimited, async () => {
    await sql`select 1`.execute(app.db)
    return { status: 'ready' }
  })
}
