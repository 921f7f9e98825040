import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, type PostgresPool, sql } from 'kysely'
import pg from 'pg'
import { parse } from 'pg-connection-string'
import type { Config } from '../process/config.js'
import { openPostgresPool } from './connections/postgres.js'
import { patienceMs, shareDatabase } from './connections/shared.js'
import type { openEmbeddedPool } from './embedded/open.js'
import { isoTimestamp } from './expressions.js'
import type { Db } from './schema.js'
import { nameOf } from './statements.js'

const { INT8, TIMESTAMPTZ } = pg.types.builtins
const parsers: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  [TIMESTAMPTZ]: isoTimestamp,
}

type Options = Pick<Config, 'databaseUrl' | 'dataDir' | 'databasePoolMax'> &
  Partial<Pick<Config, 'databasePreparedStatements'>>

/** Opens PostgreSQL, or without a DATABASE_URL the embedded database in DATA_DIR. */
export async function openDatabase(
  { databaseUrl, dataDir, databasePoolMax, databasePreparedStatements = true }: Options,
  onConnectionError: (error: Error) => void,
): Promise<Db> {
  const naming = databasePreparedStatements ? nameOf : () => undefined
  const options = { parsers, naming, onConnectionError }
  if (!databaseUrl) {
    const db = shareDatabase({ pool: await openEmbedded(dataDir, options), capacity: 1 })
    // Kysely does not end an unused pool, but the embedded one already holds its directory.
    await sql`select 1`.execute(db)
    return db
  }
  const pool = openPostgresPool({
    ...options,
    connectionString: databaseUrl,
    max: databasePoolMax,
  })
  return shareDatabase({ pool, capacity: databasePoolMax, patienceMs })
}

/** Whether opening it makes the embedded database, because DATA_DIR has none yet. */
export const isNewDatabase = ({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>) =>
  !databaseUrl && !existsSync(join(dataDir, 'postgres'))

/** Returns the name and version of the database, without credentials. */
export async function describeDatabase<T>(
  db: Kysely<T>,
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
) {
  const { rows } = await sql<{ name: string; server: string }>`
    select current_database() as name, split_part(version(), ' ', 2) || coalesce(
      (select ' with Citus ' || extversion from pg_extension where extname = 'citus'), '') as server
    `.execute(db)
  const [{ name, server } = { name: '', server: '' }] = rows
  if (!databaseUrl) return { database: `embedded in ${dataDir}`, server }
  const { host, port } = parse(databaseUrl)
  const address = [host, port].filter(Boolean).join(':')
  return { database: address ? `${name} at ${address}` : name, server }
}

/** Imported only if it is used, because the embedded database is larger than all the rest. */
async function openEmbedded(
  ...options: Parameters<typeof openEmbeddedPool>
): Promise<PostgresPool> {
  const { openEmbeddedPool } = await import('./embedded/open.js')
  return openEmbeddedPool(...options)
}
