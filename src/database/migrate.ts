import fs from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kysely } from 'kysely'
import { FileMigrationProvider, Migrator, sql } from 'kysely'
import { distributeTables, isDistributed, isOnWorker } from './distribution.js'

const migrationFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/**
 * Brings the schema to the newest migration, in one transaction. Processes that start at once wait
 * for the first one, however long it takes. On a cluster, new tables are spread as the others are.
 * Tells how many migrations there are, and how many of them were missing.
 */
export async function migrateToLatest<T>(
  db: Kysely<T>,
  onSpread?: (table: string, column: string | null) => void,
) {
  return withoutTimeouts(db, async (connection) => {
    const migrator = createMigrator(connection)
    const pending = (await migrator.getMigrations()).filter(({ executedAt }) => !executedAt)
    if (pending.length > 0 && (await isOnWorker(connection))) {
      throw new Error('The schema is not the newest. Migrate on the coordinator first.')
    }
    const { error, results = [] } = await migrator.migrateToLatest()
    if (error) throw error
    if (await isDistributed(connection)) await distributeTables(connection, onSpread)
    return { migrations: (await migrator.getMigrations()).length, applied: results.length }
  })
}

/** Does what may take long on a connection of its own. */
export async function withoutTimeouts<T, Result>(
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
