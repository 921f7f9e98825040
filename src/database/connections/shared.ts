import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { LRUCache } from 'lru-cache'
import { type EndTurn, Turns } from '../../turns/turns.js'
import type { Database, Db } from '../schema.js'

interface Options {
  pool: PostgresPool
  /** How many connections the pool has. */
  capacity: number
  /** How long a caller may wait for a connection; no limit if left out. */
  patienceMs?: number
}

/** How long a request waits at most for a connection to a server. */
export const patienceMs = 3_000

/** The key for work of the service itself. */
const service = 'the service'

const shared = new WeakMap<Db, (key: string) => Db>()

/** Opens a database whose connections are shared in turns. The result takes turns for the service. */
export function shareDatabase(options: Options): Db {
  const connections = new Connections(options)
  const end = () => options.pool.end()
  const db = new Kysely<Database>({ dialect: connections.dialectFor(service, end) })
  // Each takes a few kilobytes, and can be made again in microseconds.
  const byKey = new LRUCache<string, Db>({ max: 1_000 })
  shared.set(db, (key) => {
    const known = byKey.get(key)
    if (known) return known
    const made = new Kysely<Database>({ dialect: connections.dialectFor(key) })
    byKey.set(key, made)
    return made
  })
  return db
}

/**
 * Returns the same database in turns of a key: an organization, or the address of an unknown caller. Do
 * not close the result.
 */
export function databaseFor(db: Db, key: string): Db {
  return shared.get(db)?.(key) ?? db
}

/** One object for each connection, because Kysely makes a wrapper for each object. */
interface SharedConnection {
  client: PostgresPoolClient
  /** Ends the current turn of the connection. */
  endTurn: EndTurn
}

class Connections {
  readonly #pool: PostgresPool
  readonly #turns: Turns
  readonly #known = new WeakMap<PostgresPoolClient, SharedConnection>()

  constructor({ pool, capacity, patienceMs }: Options) {
    this.#pool = pool
    // A connection cannot be taken back: waiting for a locked row can take 3 s. So one organization
    // leaves a fifth of the connections to others.
    const reserve = capacity < 3 ? 0 : Math.ceil(capacity / 5)
    // The last fifth is for organizations without a connection, so that two cannot take all.
    const spare = reserve
    // All slow organizations together leave half of the connections to others.
    const slowness = { ms: 500, capacity: Math.ceil(capacity / 2), except: service }
    this.#turns = new Turns({ capacity, reserve, spare, slowness, longestQueue: 5_000, patienceMs })
  }

  dialectFor(key: string, end = async () => {}): PostgresDialect {
    return new PostgresDialect({ pool: { connect: () => this.#connect(key), end } })
  }

  async #connect(key: string): Promise<PostgresPoolClient> {
    const endTurn = await this.#turns.take(key)
    try {
      const client = await this.#pool.connect()
      const connection = this.#known.get(client) ?? this.#share(client)
      connection.endTurn = endTurn
      return connection.client
    } catch (error) {
      endTurn()
      throw error
    }
  }

  #share(client: PostgresPoolClient): SharedConnection {
    const release = () => {
      const { endTurn } = connection
      client.release()
      endTurn()
    }
    const shared = { query: client.query, release } as PostgresPoolClient
    const connection = { client: shared, endTurn: () => {} }
    this.#known.set(client, connection)
    return connection
  }
}
