import fs from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kysely } from 'kysely'
import { FileMigrationProvider, Migrator, sql } from 'kysely'

const migrationFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/**
 * Brings the schema to the newest migration, in one transaction. Processes that start at once wait
 * for the first one, however long it takes. Tells how many migrations there are, and how many of
 * them were missing.
 */
export async function migrateToLatest<T>(db: Kysely<T>) {
  return db.connection().execute(async (connection) => {
    await sql`set lock_timeout = 0`.execute(connection)
    await sql`set statement_timeout = 0`.execute(connection)
    try {
      const migrator = createMigrator(connection)
      const { error, results = [] } = await migrator.migrateToLatest()
      if (error) throw error
      return { migrations: (await migrator.getMigrations()).length, applied: results.length }
    } finally {
      await sql`reset lock_timeout`.execute(connection)
      await sql`reset statement_timeout`.execute(connection)
    }
  })
}

export function createMigrator<T>(db: Kysely<T>): Migrator {
  return new Migrator({ db, provider: new FileMigrationProvider({ fs, path, migrationFolder }) })
}
