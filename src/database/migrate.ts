import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import type { Kysely, Migration, MigrationProvider } from 'kysely'
import { Migrator, sql } from 'kysely'
import { distributeTables, isOnWorker, progressOf } from './distribution.js'

const folder = new URL('migrations/', import.meta.resolve('#dist/openapi.json'))

export interface MigrateOptions {
  /** Distributes all tables over the cluster. Otherwise only new ones, if others are distributed. */
  shouldDistribute?: boolean
  onDistributed?: (table: string, column: string | null) => void
  /** Called before the first migration, with the number of migrations that are missing. */
  onMissing?: ((count: number) => void) | undefined
}

/**
 * Migrates the schema to the newest version. If several processes start at once, the others wait for the
 * first one, however long it takes. Returns how many migrations there are, and how many were applied.
 * Throws on a worker of a cluster if a migration is missing.
 */
export async function migrateToLatest<T>(
  db: Kysely<T>,
  { shouldDistribute = false, onDistributed, onMissing }: MigrateOptions = {},
) {
  return withoutTimeouts(db, async (connection) => {
    if (await isOnWorker(connection)) return requireNewest(connection)
    const applied = await migrate(connection, onMissing)
    const isDistributing = shouldDistribute || (await progressOf(connection)) === 'some'
    if (isDistributing) await distributeTables(connection, onDistributed)
    const { length: migrations } = await createMigrator(connection).getMigrations()
    return { migrations, applied }
  })
}

const inBatches = /-in-batches$/

/**
 * Runs the missing migrations, and returns how many. A migration in batches runs by itself, outside of a
 * transaction; the others between two such migrations run together.
 */
async function migrate<T>(db: Kysely<T>, onMissing?: MigrateOptions['onMissing']): Promise<number> {
  const migrations = await createMigrator(db).getMigrations()
  const missing = migrations.filter(({ executedAt }) => !executedAt).map(({ name }) => name)
  const [first] = missing
  if (first === undefined) return 0
  onMissing?.(missing.length)
  const next = missing.findIndex((name) => inBatches.test(name))
  const target = missing[next === 0 ? 0 : (next === -1 ? missing.length : next) - 1] ?? first
  const migrator = createMigrator(db, { disableTransactions: next === 0 })
  const { error, results = [] } = await migrator.migrateTo(target)
  if (error) throw error
  return results.length + (await migrate(db))
}

/** Whether no migration is missing. */
export async function isNewest<T>(db: Kysely<T>): Promise<boolean> {
  const migrations = await createMigrator(db).getMigrations()
  return migrations.every(({ executedAt }) => executedAt)
}

/** A worker must not migrate: it would change only its own schema. */
async function requireNewest<T>(db: Kysely<T>) {
  const migrations = await createMigrator(db).getMigrations()
  const progress = await progressOf(db)
  if (progress === 'none') {
    throw new Error(
      'The tables are not distributed over the cluster. Run "npm run distribute" on the coordinator first.',
    )
  }
  if (progress === 'some' || !migrations.every(({ executedAt }) => executedAt)) {
    throw new Error('The schema is not the newest. Migrate on the coordinator first.')
  }
  return { migrations: migrations.length, applied: 0 }
}

/** Runs long work on one connection, without timeouts. */
async function withoutTimeouts<T, Result>(
  db: Kysely<T>,
  work: (connection: Kysely<T>) => Promise<Result>,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    await sql`set lock_timeout = 0`.execute(connection)
    await sql`set statement_timeout = 0`.execute(connection)
    // If several processes start at once, the others wait here until it is done.
    await sql`select pg_advisory_lock(hashtext('migrate'))`.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`select pg_advisory_unlock(hashtext('migrate'))`.execute(connection)
      await sql`reset lock_timeout`.execute(connection)
      await sql`reset statement_timeout`.execute(connection)
    }
  })
}

export function createMigrator<T>(db: Kysely<T>, { disableTransactions = false } = {}): Migrator {
  return new Migrator({ db, provider: { getMigrations }, disableTransactions })
}

/** Kysely's own provider imports every migration at every start; most starts run none. */
const getMigrations: MigrationProvider['getMigrations'] = async () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'))
  return Object.fromEntries(files.map((name) => [basename(name, '.js'), importedLater(name)]))
}

function importedLater(name: string): Migration {
  const load = (): Promise<Required<Migration>> => import(new URL(name, folder).href)
  return {
    up: async (db) => (await load()).up(db),
    down: async (db) => (await load()).down(db),
  }
}
