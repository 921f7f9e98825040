import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { checkSize } from '../statement-size.js'
import { type DirectoryLock, lockDirectory } from './directory-lock.js'

type Parsers = Record<number, (text: string) => unknown>

/**
 * How long queries may block the event loop. Short, because Node accepts only one connection in each
 * turn of the loop.
 */
const turnMs = 1

/**
 * Opens PGlite as a pg pool with one connection, which is handed out to one caller at a time. The
 * directory `memory://` keeps everything in memory.
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
  // The operating system caches the files too. PostgreSQL's default of 128 MB would be a second copy.
  const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB']
  return PGlite.create(directory, { parsers, startParams })
}

const draftName = 'postgres.new-'

/**
 * Creates a new database in its own process, whose memory is freed when it ends. If it is killed, no
 * half database is left.
 */
async function initialize(directory: string): Promise<void> {
  const parent = dirname(directory)
  const left = readdirSync(parent).filter((name) => name.startsWith(draftName))
  for (const name of left) rmSync(join(parent, name), { recursive: true })
  const draft = join(parent, draftName + randomUUID())
  const script = fileURLToPath(import.meta.resolve('#dist/src/database/embedded/initialize.js'))
  const [code] = await once(fork(script, [draft], { execArgv: [] }), 'exit')
  if (code !== 0) throw new Error(`The embedded database cannot be made in ${directory}`)
  renameSync(draft, directory)
}

class EmbeddedPool implements PostgresPool {
  readonly #pglite: PGlite
  readonly #lock: DirectoryLock | undefined
  #released: Promise<void> = Promise.resolve()
  #turnedAt = performance.now()

  constructor(pglite: PGlite, lock?: DirectoryLock) {
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
    // Kysely's client type has overloads for cursors, which are not used.
    return { query, release: resolve } as unknown as PostgresPoolClient
  }

  async end(): Promise<void> {
    await this.#released
    await this.#pglite.close()
    await this.#lock?.release()
  }

  /** PGlite's queries never let the event loop turn by themselves. */
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
