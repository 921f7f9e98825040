import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import type { PostgresPool } from 'kysely'
import { openPostgresPool, type PostgresPoolOptions } from '../connections/postgres.js'
import { type DirectoryLock, lockDirectory } from './directory-lock.js'
import { EmbeddedSocket } from './socket.js'

type PoolOptions = Pick<PostgresPoolOptions, 'parsers' | 'naming' | 'onConnectionError'>

/** Given in full, because pg reads from the environment what is left out. */
const connectionString = 'postgres://postgres@localhost/postgres?sslmode=disable'

/**
 * Opens PGlite as a pg pool with one connection. The directory `memory://` keeps everything in memory.
 */
export async function openEmbeddedPool(
  dataDir: string,
  options: PoolOptions,
): Promise<PostgresPool> {
  if (dataDir === 'memory://') return poolOf(await openPGlite(dataDir), options)

  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(dataDir)
  try {
    const directory = join(dataDir, 'postgres')
    if (!existsSync(directory)) await initialize(directory)
    return poolOf(await openPGlite(directory), options, lock)
  } catch (error) {
    await lock.release()
    throw error
  }
}

function poolOf(pglite: PGlite, options: PoolOptions, lock?: DirectoryLock): PostgresPool {
  const stream = () => new EmbeddedSocket(pglite)
  const connection = { connectionString, max: 1, idleTimeoutMillis: 0, stream }
  const pool = openPostgresPool({ ...options, ...connection })
  return {
    connect() {
      lock?.assertHeld()
      return pool.connect()
    },
    async end() {
      await pool.end()
      await pglite.close()
      await lock?.release()
    },
  }
}

export function openPGlite(directory: string): Promise<PGlite> {
  // The operating system caches the files too. PostgreSQL's default of 128 MB would be a second copy.
  const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB']
  return PGlite.create(directory, { startParams })
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
