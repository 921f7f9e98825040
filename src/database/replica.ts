import type { FastifyBaseLogger } from 'fastify'
import { CompiledQuery, Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { createLook, mostLagMs } from './replica-lag.js'
import type { Database } from './schema.js'
import type { Scope } from './scope.js'
import { databaseFor } from './shared.js'

type Db = Kysely<Database>

const lookEveryMs = 1_000

interface Options {
  primary: Db
  replica: Db
  /** Whether somebody has changed something of an organization lately, by the primary. */
  hasChangedRecently(primary: Db, organization_id: string): Promise<boolean>
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** A replica of the primary from which lists are read while it is well. */
export class Replica {
  readonly #options: Options
  readonly #look: () => Promise<number | null>
  // What reads from the replica in the turns of an organization.
  readonly #byKey = new LRUCache<string, Db>({
    max: 1_000,
    memoMethod: (key) =>
      databaseOf((text, values) => this.#read(CompiledQuery.raw(text, [...values]), key)),
  })
  readonly #reading = new Set<(error: Error) => void>()
  #freshAt = Number.NEGATIVE_INFINITY
  #isUsed: boolean | undefined
  #isWatched = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
    this.#look = createLook(options.primary, options.replica)
  }

  /**
   * The database to read a list from in the turns of a key. It is the primary for an organization
   * that has changed lately, so that readers find what they have just written. The primary's audit
   * trail knows, because every change records an event in its own transaction, in any process. A position
   * in the log
   * (LSN) would free the primary sooner, but the process that the next request of the same caller
   * reaches would have to be told of it.
   */
  async dbFor(scope: Scope, key: string): Promise<Db> {
    const { hasChangedRecently } = this.#options
    const primary = databaseFor(this.#options.primary, key)
    if (scope === 'every organization' || !this.#isWell()) return primary
    return (await hasChangedRecently(primary, scope.organization_id))
      ? primary
      : this.#byKey.memo(key)
  }

  /** Begins to look after the replica; until a look has found it well it is not used. */
  watch(): void {
    this.#isWatched = true
    void this.#lookAgain()
  }

  stopWatching(): void {
    this.#isWatched = false
    clearTimeout(this.#timer)
  }

  async #lookAgain(): Promise<void> {
    const outcome = await this.#look().catch(toError)
    if (!this.#isWatched) return
    if (outcome instanceof Error) this.#lose(outcome)
    else if (outcome !== null) this.#use(outcome)
    this.#timer = setTimeout(() => this.#lookAgain(), lookEveryMs).unref()
  }

  #isWell(): boolean {
    return performance.now() - this.#freshAt <= mostLagMs
  }

  #use(freshAt: number): void {
    this.#freshAt = freshAt
    if (!this.#isUsed) this.#options.log.info('lists are read from the replica')
    this.#isUsed = true
  }

  #lose(err: Error): void {
    this.#freshAt = Number.NEGATIVE_INFINITY
    if (this.#isUsed !== false) {
      this.#options.log.warn({ err }, 'lists are not read from the replica')
    }
    this.#isUsed = false
    for (const giveUp of this.#reading) giveUp(err)
  }

  /** Reads from the replica, and from the primary when it is not well by now or fails. */
  async #read(statement: CompiledQuery, key: string) {
    const { log } = this.#options
    const primary = databaseFor(this.#options.primary, key)
    const replica = databaseFor(this.#options.replica, key)
    if (!this.#isWell()) return primary.executeQuery(statement)
    try {
      return await this.#orLost(replica.executeQuery(statement))
    } catch (error) {
      if (isRefusal(error)) log.warn({ err: error }, 'the replica refused to read a list')
      else this.#lose(toError(error))
      return primary.executeQuery(statement)
    }
  }

  /** An answer of the replica, or the error that it is lost: of one that hangs no answer comes. */
  #orLost<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reading.add(reject)
      answer.then(resolve, reject).finally(() => this.#reading.delete(reject))
    })
  }
}

type Read = (text: string, values: readonly unknown[]) => Promise<{ rows: unknown[] }>

/** A database that sends each statement through a function. */
function databaseOf(read: Read): Db {
  const query = async (text: string, values: readonly unknown[]) => {
    return { command: 'SELECT', ...(await read(text, values)) }
  }
  // Kysely's client type has overloads for cursors, which nobody asks of this pool.
  const client = { query, release() {} } as unknown as PostgresPoolClient
  const pool = { connect: async () => client, end: async () => {} }
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
}

/** Whether a server that is well did not want one statement, as one that its replay disturbs. */
const isRefusal = (error: unknown) =>
  error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '')

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
