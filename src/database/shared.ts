import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { LRUCache } from 'lru-cache'
import { type EndTurn, Turns } from '../turns/turns.js'
import type { Database } from './schema.js'

interface Options {
  pool: PostgresPool
  /** How many connections the pool has. */
  capacity: number
  /** How long one waits for a connection at most; without it, until there is one. */
  patienceMs?: number
}

/** Whose work it is when it belongs to no organization and to no caller. */
const service = 'the service'

const shared = new WeakMap<Kysely<Database>, (key: string) => Kysely<Database>>()

/** A database that takes its connections in turn with those of others, by itself for the service. */
export function shareDatabase(options: Options): Kysely<Database> {
  const connections = new Connections(options)
  const end = () => options.pool.end()
  const db = new Kysely<Database>({ dialect: connections.dialectFor(service, end) })
  // A few kilobytes each, and made again in microseconds.
  const byKey = new LRUCache<string, Kysely<Database>>({ max: 1_000 })
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
 * The same database in the turns of an organization, or of the address of a stranger. It is not
 * closed by itself.
 */
export function databaseFor(db: Kysely<Database>, key: string): Kysely<Database> {
  return shared.get(db)?.(key) ?? db
}

class Connections {
  readonly #pool: PostgresPool
  readonly #turns: Turns
  /** The same object for the same connection: Kysely makes a wrapper for each that it meets. */
  readonly #known = new WeakMap<PostgresPoolClient, PostgresPoolClient>()
  readonly #endTurn = new WeakMap<PostgresPoolClient, EndTurn>()

  constructor({ pool, capacity, patienceMs }: Options) {
    this.#pool = pool
    // A connection cannot be taken back: one that waits for a locked row is busy for 3 s. So one
    // organization leaves a fifth of them to others, which need not wait for that.
    const reserve = capacity < 3 ? 0 : Math.ceil(capacity / 5)
    // The last fifth is for those who have none: so two organizations do not take all of them.
    const spare = reserve
    // And all that wait so, or whose statements take long, leave half of them.
    const slowness = { ms: 500, most: Math.ceil(capacity / 2), except: service }
    this.#turns = new Turns({ capacity, reserve, spare, slowness, longestQueue: 5_000, patienceMs })
  }

  dialectFor(key: string, end = async () => {}): PostgresDialect {
    return new PostgresDialect({ pool: { connect: () => this.#connect(key), end } })
  }

  async #connect(key: string): Promise<PostgresPoolClient> {
    const endTurn = await this.#turns.take(key)
    try {
      const client = await this.#pool.connect()
      this.#endTurn.set(client, endTurn)
      const known = this.#known.get(client) ?? this.#adapt(client)
      this.#known.set(client, known)
      return known
    } catch (error) {
      endTurn()
      throw error
    }
  }

  #adapt(client: PostgresPoolClient): PostgresPoolClient {
    const release = () => {
      const endTurn = this.#endTurn.get(client)
      client.release()
      endTurn?.()
    }
    return { query: client.query, release } as PostgresPoolClient
  }
}
