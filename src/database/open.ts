import { type Kysely, type PostgresPool, sql } from 'kysely'
import pg from 'pg'
import { parse } from 'pg-connection-string'
import type { Config } from '../config.js'
import { isoTimestamp } from './expressions.js'
import { openPostgresPool } from './postgres.js'
import type { Database } from './schema.js'
import { shareDatabase } from './shared.js'
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
): Promise<Kysely<Database>> {
  if (!databaseUrl) {
    const db = shareDatabase({ pool: await openEmbedded(dataDir), capacity: 1 })
    // Kysely ends no pool that it has never used, and the embedded one holds its directory by now.
    await sql`select 1`.execute(db)
    return db
  }
  const pool = openPostgresPool({
    connectionString: databaseUrl,
    max: databasePoolMax,
    parsers,
    naming: databasePreparedStatements ? nameOf : () => undefined,
    onConnectionError,
  })
  return shareDatabase({ pool, capacity: databasePoolMax, patienceMs: 3_000 })
}

/** Opens the replica, if there is one. It may be away now and later: whoever reads from it notices. */
export async function openReplica({ databaseReplicaUrl: databaseUrl, ...options }: Config) {
  return databaseUrl === null ? null : openDatabase({ ...options, databaseUrl }, () => {})
}

/** Which database that is, without what it takes to get in, and of which version. */
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
  const place = [host, port].filter(Boolean).join(':')
  return { database: place ? `${name} at ${place}` : name, server }
}

/** Loaded only where it is used: the embedded database weighs more than all the rest. */
async function openEmbedded(dataDir: string): Promise<PostgresPool> {
  const { openEmbeddedPool } = await import('./embedded.js')
  return openEmbeddedPool(dataDir, parsers)
}
