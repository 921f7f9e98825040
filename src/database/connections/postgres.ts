import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { checkSize } from './statement-size.js'

export interface PostgresPoolOptions
  extends Pick<pg.PoolConfig, 'connectionString' | 'max' | 'idleTimeoutMillis' | 'stream'> {
  parsers: Record<number, (text: string) => unknown>
  /** The name of a prepared statement; undefined for a statement that is not prepared. */
  naming(sql: string): string | undefined
  onConnectionError(error: Error): void
}

/** How long a statement waits for a lock. */
export const lockTimeoutMs = 3_000

/** Opens a pool of connections to PostgreSQL. Each connection prepares a named statement once. */
export function openPostgresPool({ naming, ...options }: PostgresPoolOptions): PostgresPool {
  const pool = createPool(options)
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    async connect() {
      const client = await pool.connect()
      const connection = known.get(client)
      if (connection) return connection
      const made = connectionOf(client, naming)
      known.set(client, made)
      return made
    },
    end: () => pool.end(),
  }
}

function createPool({
  parsers,
  onConnectionError,
  ...config
}: Omit<PostgresPoolOptions, 'naming'>): pg.Pool {
  const pool = new pg.Pool({
    ...config,
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
  // Without these listeners, a restart of the server would end this process.
  pool.on('error', onConnectionError)
  pool.on('connect', (client) => {
    client.on('error', onConnectionError)
    guardStream(client)
  })
  return pool
}

/**
 * pg reads the server's data in a callback, where an exception would end this process. Here it closes
 * the connection instead, and the current statement fails.
 */
function guardStream(client: pg.PoolClient): void {
  // pg's types do not have the connection, whose stream is the socket or TLS.
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

type Naming = PostgresPoolOptions['naming']

interface NamedQuery {
  name: string | undefined
  text: string
  values: unknown[]
}

/**
 * Without pg's own promises, which keep results until the next full garbage collection: that costs long
 * lists a third of their speed. And without its configuration objects, because pg copies their properties.
 */
function execute(client: pg.PoolClient, { name, text, values }: NamedQuery) {
  return new Promise<pg.QueryResult>((resolve, reject) => {
    const done = (error: Error | undefined, result: pg.QueryResult) =>
      error ? reject(error) : resolve(result)
    client.query(Object.assign(new pg.Query(text, values, done), { name }))
  })
}

/**
 * A connection of the pool. An error that does not come from the server leaves it in an unknown state:
 * it is closed at once, and all later statements fail with the same error.
 */
function connectionOf(client: pg.PoolClient, naming: Naming): PostgresPoolClient {
  let broken: Error | undefined
  async function query(text: string, values: unknown[]) {
    if (broken) throw broken
    checkSize(text, values)
    try {
      return await execute(client, { name: naming(text), text, values })
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
  // Kysely's client type has overloads for cursors, which are not used.
  return { query, release } as unknown as PostgresPoolClient
}

/** The same module instance that pg uses. */
const { serialize } = createRequire(createRequire(import.meta.url).resolve('pg'))(
  'pg-protocol',
) as { serialize: { startup(options: object): Buffer } }

/**
 * Empties the buffer in which all connections write their messages. After an exception it holds half a
 * message, which the next connection would send before its own. Serializing a startup message empties
 * the buffer; the message is not sent.
 */
function emptyWriter(): void {
  serialize.startup({})
}

const errorOf = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
