import fs from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kysely } from 'kysely'
import { FileMigrationProvider, Migrator, sql } from 'kysely'
import { distributeTables, isOnWorker, progressOf } from './distribution.js'

const migrationFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

interface Options {
  /** Spreads the tables over the cluster; else only those that are new where others are spread. */
  isToSpread?: boolean
  onSpread?: (table: string, column: string | null) => void
}

/**
 * Brings the schema to the newest migration, in one transaction. Processes that start at once wait
 * for the first one, however long it takes. Tells how many migrations there are, and how many of
 * them were missing. Throws on a worker of a cluster when anything is missing.
 */
export async function migrateToLatest<T>(
  db: Kysely<T>,
  { isToSpread = false, onSpread }: Options = {},
) {
  return withoutTimeouts(db, async (connection) => {
    const migrator = createMigrator(connection)
    if (await isOnWorker(connection)) return requireNewest(connection, migrator)
    const { error, results = [] } = await migrator.migrateToLatest()
    if (error) throw error
    const isSpreading = isToSpread || (await progressOf(connection)) === 'some'
    if (isSpreading) await distributeTables(connection, onSpread)
    return { migrations: (await migrator.getMigrations()).length, applied: results.length }
  })
}

/** The coordinator changes the schema; a worker would change it for itself alone. */
async function requireNewest<T>(db: Kysely<T>, migrator: Migrator) {
  const migrations = await migrator.getMigrations()
  const progress = await progressOf(db)
  if (progress === 'none') {
    throw new Error(
      'The tables are not spread over the cluster. Run "npm run distribute" on the coordinator first.',
    )
  }
  if (progress === 'some' || !migrations.every(({ executedAt }) => executedAt)) {
    throw new Error('The schema is not the newest. Migrate on the coordinator first.')
  }
  return { migrations: migrations.length, applied: 0 }
}

/** Does what may take long on a connection of its own. */
async function withoutTimeouts<T, Result>(
  db: Kysely<T>,
  work: (connection: Kysely<T>) => Promise<Result>,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    await sql`set lock_timeout = 0`.execute(connection)
    await sql`set statement_timeout = 0`.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`reset lock_timeout`.execute(connection)
      await sql`reset statement_timeout`.execute(connection)
    }
  })
}

export function createMigrator<T>(db: Kysely<T>): Migrator {
  return new Migrator({ db, provider: new FileMigrationProvider({ fs, path, migrationFolder }) })
}
