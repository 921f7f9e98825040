import { promisify } from 'node:util'
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely'
import pg from 'pg'
import { parse } from 'pg-connection-string'
import type { Config } from '../config.js'
import { isoTimestamp } from './expressions.js'
import type { Database } from './schema.js'
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
  const pool = databaseUrl
    ? adaptPool(
        openPostgresPool(databaseUrl, databasePoolMax, onConnectionError),
        databasePreparedStatements ? nameOf : () => undefined,
      )
    : await openEmbedded(dataDir)
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  // Kysely ends no pool that it has never used, and the embedded one holds its directory by now.
  if (!databaseUrl) await sql`select 1`.execute(db)
  return db
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

function openPostgresPool(
  connectionString: string,
  max: number,
  onConnectionError: (error: Error) => void,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    keepAlive: true,
    connectionTimeoutMillis: 3_000,
    lock_timeout: 3_000,
    statement_timeout: 10_000,
    idle_in_transaction_session_timeout: 10_000,
    options: '-c TimeZone=UTC',
    types: {
      getTypeParser: (oid, format) => parsers[oid] ?? pg.types.getTypeParser(oid, format),
    },
  })
  // Without a listener on the pool and on every client a restarting server ends this process.
  pool.on('error', onConnectionError)
  pool.on('connect', (client) => client.on('error', onConnectionError))
  return pool
}

type Naming = (sql: string) => string | undefined

/** The pool, on whose connections a statement is prepared once under the name it has. */
function adaptPool(pool: pg.Pool, naming: Naming): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    async connect() {
      const client = await pool.connect()
      const adapted = known.get(client) ?? adaptClient(client, naming)
      known.set(client, adapted)
      return adapted
    },
    end: () => pool.end(),
  }
}

function adaptClient(client: pg.PoolClient, naming: Naming): PostgresPoolClient {
  // The callback form: pg's own promises keep results until the next full garbage collection, which
  // costs long lists a third of their speed.
  const execute = promisify<pg.QueryConfig, pg.QueryResult>(client.query.bind(client))
  const query = (text: string, values: unknown[]) => execute({ name: naming(text), text, values })
  // Kysely's client type has overloads for cursors, which nobody asks of this pool.
  return { query, release: () => client.release() } as unknown as PostgresPoolClient
}
