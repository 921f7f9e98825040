import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { type Lock, lockDirectory } from './lock.js'

type Parsers = Record<number, (text: string) => unknown>

/**
 * PGlite in the shape of a pg pool with one connection: whoever connects waits for the release
 * before. `memory://` as the directory keeps everything in memory.
 */
export async function openEmbeddedPool(dataDir: string, parsers: Parsers): Promise<PostgresPool> {
  if (dataDir === 'memory://') return new EmbeddedPool(await PGlite.create({ parsers }))

  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(dataDir)
  try {
    const pglite = await PGlite.create(join(dataDir, 'postgres'), { parsers })
    return new EmbeddedPool(pglite, lock)
  } catch (error) {
    await lock.release()
    throw error
  }
}

class EmbeddedPool implements PostgresPool {
  readonly #pglite: PGlite
  readonly #lock: Lock | undefined
  #released: Promise<void> = Promise.resolve()

  constructor(pglite: PGlite, lock?: Lock) {
    this.#pglite = pglite
    this.#lock = lock
  }

  async connect(): Promise<PostgresPoolClient> {
    const before = this.#released
    const { promise, resolve } = withResolvers()
    this.#released = promise
    await before
    this.#lock?.assertHeld()
    const query = (sql: string, parameters: readonly unknown[]) =>
      this.#pglite.query(sql, [...parameters])
    // Kysely's client type has overloads for cursors, which nobody asks of this pool.
    return { query, release: resolve } as unknown as PostgresPoolClient
  }

  async end(): Promise<void> {
    await this.#released
    await this.#pglite.close()
    await this.#lock?.release()
  }
}

/** Promise.withResolvers of Node 22, for Node 20. */
function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
