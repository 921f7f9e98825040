import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { hourMs } from '../../process/clock.js'
import { type Repetition, repeat } from '../../process/repeat.js'
import type { Db } from '../schema.js'

/** The tables from which many rows are deleted. */
const tables = [
  'attempts',
  'login_sessions',
  'refresh_tokens',
  'session_plan',
  'unsealed_events',
] as const

/** Frees the space of deleted rows, so that new ones take it. */
export async function vacuum(db: Db): Promise<void> {
  await sql`vacuum ${sql.join(tables.map((table) => sql.table(table)))}`.execute(db)
}

/** Frees space once an hour. A server does that by itself; the embedded database has no autovacuum. */
export function keepVacuuming(
  db: Db,
  log: Pick<FastifyBaseLogger, 'warn'>,
  firstMs: number = Math.random() * hourMs,
): Repetition {
  async function free(): Promise<void> {
    await vacuum(db).catch((err: unknown) => log.warn({ err }, 'space could not be freed'))
  }
  return repeat(free, { firstMs, pauseMs: hourMs })
}
