import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { type Lock, lockDirectory } from './directory-lock.js'
import { checkSize } from './statement-size.js'

type Parsers = Record<number, (text: string) => unknown>

/**
 * How long queries may keep the event loop from everything else. Short, because Node accepts but one
 * connection in each of its turns.
 */
const turnMs = 1

/**
 * PGlite in the shape of a pg pool with one connection: whoever connects waits for the release
 * before. `memory://` as the directory keeps everything in memory.
 */
export async function openEmbeddedPool(dataDir: string, parsers: Parsers): Promise<PostgresPool> {
  if (dataDir === 'memory://') return new EmbeddedPool(await openPGlite(dataDir, parsers))

  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(dataDir)
  try {
    const directory = join(dataDir, 'postgres')
    if (!existsSync(directory)) await initialize(directory)
    return new EmbeddedPool(await openPGlite(directory, parsers), lock)
  } catch (error) {
    await lock.release()
    throw error
  }
}

export function openPGlite(directory: string, parsers: Parsers = {}): Promise<PGlite> {
  // The operating system caches the files as well: PostgreSQL's usual 128 MB are a second copy.
  const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB']
  return PGlite.create(directory, { parsers, startParams })
}

const draftName = 'postgres.new-'

/**
 * Makes a new database in a process of its own, which takes the memory for that along. One that is
 * killed meanwhile leaves no half of a database behind.
 */
async function initialize(directory: string): Promise<void> {
  const place = dirname(directory)
  const left = readdirSync(place).filter((name) => name.startsWith(draftName))
  for (const name of left) rmSync(join(place, name), { recursive: true })
  const draft = join(place, draftName + randomUUID())
  const script = fileURLToPath(new URL('./initialize.js', import.meta.url))
  const [code] = await once(fork(script, [draft], { execArgv: [] }), 'exit')
  if (code !== 0) throw new Error(`The embedded database cannot be made in ${directory}`)
  renameSync(draft, directory)
}

class EmbeddedPool implements PostgresPool {
  readonly #pglite: PGlite
  readonly #lock: Lock | undefined
  #released: Promise<void> = Promise.resolve()
  #turnedAt = performance.now()

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
    const query = async (sql: string, parameters: readonly unknown[]) => {
      checkSize(sql, parameters)
      await this.#letOthersWork()
      return this.#pglite.query(sql, [...parameters])
    }
    // Kysely's client type has overloads for cursors, which nobody asks of this pool.
    return { query, release: resolve } as unknown as PostgresPoolClient
  }

  async end(): Promise<void> {
    await this.#released
    await this.#pglite.close()
    await this.#lock?.release()
  }

  /** A query of PGlite and what awaits it never leave the event loop's turn by themselves. */
  async #letOthersWork(): Promise<void> {
    if (performance.now() - this.#turnedAt < turnMs) return
    await nextTurn()
    this.#turnedAt = performance.now()
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
