import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { checkSize } from './statement-size.js'

interface Options {
  connectionString: string
  max: number
  parsers: Record<number, (text: string) => unknown>
  /** The name under which PostgreSQL keeps a statement; undefined for one that it does not keep. */
  naming(sql: string): string | undefined
  onConnectionError(error: Error): void
}

/** How long a statement waits for a lock. */
export const lockTimeoutMs = 3_000

/** PostgreSQL's connections. A statement is prepared once on each, under the name it has. */
export function openPostgresPool({ naming, ...options }: Options): PostgresPool {
  const pool = createPool(options)
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    async connect() {
      const client = await pool.connect()
      const connection = known.get(client) ?? connectionOf(client, naming)
      known.set(client, connection)
      return connection
    },
    end: () => pool.end(),
  }
}

function createPool({
  connectionString,
  max,
  parsers,
  onConnectionError,
}: Omit<Options, 'naming'>): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    keepAlive: true,
    connectionTimeoutMillis: 3_000,
    lock_timeout: lockTimeoutMs,
    statement_timeout: 10_000,
    idle_in_transaction_session_timeout: 10_000,
    options: '-c TimeZone=UTC',
    types: {
      getTypeParser: (oid, format) => parsers[oid] ?? pg.types.getTypeParser(oid, format),
    },
  })
  // Without a listener on the pool and on every client a restarting server ends this process.
  pool.on('error', onConnectionError)
  pool.on('connect', (client) => {
    client.on('error', onConnectionError)
    guardStream(client)
  })
  return pool
}

/**
 * pg reads what the server sends in a callback, where an error that it throws would end this process.
 * Here the error ends the connection instead, which fails the statement that is under way.
 */
function guardStream(client: pg.PoolClient): void {
  // pg's types hide the connection, which has the socket, or TLS on it.
  const { stream } = Reflect.get(client, 'connection') as { stream: Duplex }
  const emit = stream.emit.bind(stream)
  stream.emit = (...event: Parameters<typeof emit>) => {
    try {
      return emit(...event)
    } catch (error) {
      emptyWriter()
      stream.destroy(errorOf(error))
      return true
    }
  }
}

type Naming = Options['naming']

/**
 * A connection of the pool. An error that is not the server's own leaves it in a state that
 * is not known: it is closed at once, and whatever else is asked of it fails with the same error.
 */
function connectionOf(client: pg.PoolClient, naming: Naming): PostgresPoolClient {
  // The callback form: pg's own promises keep results until the next full garbage collection, which
  // costs long lists a third of their speed.
  const execute = promisify<pg.QueryConfig, pg.QueryResult>(client.query.bind(client))
  let broken: Error | undefined
  async function query(text: string, values: unknown[]) {
    if (broken) throw broken
    checkSize(text, values)
    try {
      return await execute({ name: naming(text), text, values })
    } catch (error) {
      if (!broken && !(error instanceof pg.DatabaseError)) {
        broken = errorOf(error)
        emptyWriter()
        client.release(broken)
      }
      throw error
    }
  }
  const release = () => {
    if (!broken) client.release()
  }
  // Kysely's client type has overloads for cursors, which nobody asks of this pool.
  return { query, release } as unknown as PostgresPoolClient
}

/** The very module that pg uses. */
const { serialize } = createRequire(createRequire(import.meta.url).resolve('pg'))(
  'pg-protocol',
) as { serialize: { startup(options: object): Buffer } }

/**
 * All connections write their messages with one buffer. What was being written when something was
 * thrown would be sent in front of the next message, by whichever connection. A startup message
 * empties the buffer whatever its length, and is not sent.
 */
function emptyWriter(): void {
  serialize.startup({})
}

const errorOf = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
