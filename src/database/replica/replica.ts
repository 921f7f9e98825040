import type { FastifyBaseLogger } from 'fastify'
import { CompiledQuery, Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import type { Database, Db } from '../schema.js'
import type { Scope } from '../scope.js'
import { databaseFor } from '../shared.js'
import { createLagCheck, maxLagMs } from './lag.js'

const checkEveryMs = 1_000

interface Options {
  primary: Db
  replica: Db
  /** Whether an organization has changed recently, according to the primary. */
  hasChangedRecently(primary: Db, organization_id: string): Promise<boolean>
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** A replica of the primary. Lists are read from it while it is healthy. */
export class Replica {
  readonly #options: Options
  readonly #checkLag: () => Promise<number | null>
  /** Databases that read from the replica in turns of a key. */
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
    this.#checkLag = createLagCheck(options.primary, options.replica)
  }

  /**
   * Returns the database to read a list from, in turns of a key. It is the primary if the organization
   * has changed recently, so that callers see what they have just written. The primary's audit trail
   * shows recent changes, because every change records an event in its own transaction. Comparing
   * positions in the log (LSN) would free the primary sooner, but all processes would have to share them.
   */
  async dbFor(scope: Scope, key: string): Promise<Db> {
    const { hasChangedRecently } = this.#options
    const primary = databaseFor(this.#options.primary, key)
    if (scope === 'every organization' || !this.#isHealthy()) return primary
    return (await hasChangedRecently(primary, scope.organization_id))
      ? primary
      : this.#byKey.memo(key)
  }

  /** Starts to check the replica. It is not used until a check has succeeded. */
  watch(): void {
    this.#isWatched = true
    void this.#checkAgain()
  }

  stopWatching(): void {
    this.#isWatched = false
    clearTimeout(this.#timer)
  }

  async #checkAgain(): Promise<void> {
    const outcome = await this.#checkLag().catch(toError)
    if (!this.#isWatched) return
    if (outcome instanceof Error) this.#lose(outcome)
    else if (outcome !== null) this.#use(outcome)
    this.#timer = setTimeout(() => this.#checkAgain(), checkEveryMs).unref()
  }

  #isHealthy(): boolean {
    return performance.now() - this.#freshAt <= maxLagMs
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

  /** Reads from the replica, or from the primary if the replica is not healthy or fails. */
  async #read(statement: CompiledQuery, key: string) {
    const { log } = this.#options
    const primary = databaseFor(this.#options.primary, key)
    const replica = databaseFor(this.#options.replica, key)
    if (!this.#isHealthy()) return primary.executeQuery(statement)
    try {
      return await this.#orLost(replica.executeQuery(statement))
    } catch (error) {
      if (isRefusal(error)) log.warn({ err: error }, 'the replica refused to read a list')
      else this.#lose(toError(error))
      return primary.executeQuery(statement)
    }
  }

  /** Waits for an answer, but rejects when a check fails: a hanging replica would never answer. */
  #orLost<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reading.add(reject)
      answer.then(resolve, reject).finally(() => this.#reading.delete(reject))
    })
  }
}

type RunStatement = (text: string, values: readonly unknown[]) => Promise<{ rows: unknown[] }>

/** Returns a database that runs each statement with a function. */
function databaseOf(run: RunStatement): Db {
  const query = async (text: string, values: readonly unknown[]) => {
    return { command: 'SELECT', ...(await run(text, values)) }
  }
  // Kysely's client type has overloads for cursors, which are not used.
  const client = { query, release() {} } as unknown as PostgresPoolClient
  const pool = { connect: async () => client, end: async () => {} }
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
}

/** Whether a healthy server refused one statement, for example because of a conflict with its replay. */
const isRefusal = (error: unknown) =>
  error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '')

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
