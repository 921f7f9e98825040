import pg from 'pg'
import type { Config } from '../process/config.js'
import { isNewest, type MigrateOptions, migrateToLatest } from './migrate.js'
import { openDatabase } from './open.js'
import type { Db } from './schema.js'

type Addresses = Pick<Config, 'databaseUrl' | 'databaseMigrationUrl' | 'dataDir'>

/**
 * Migrates the database of the settings, on a connection to PostgreSQL itself: a pooler may give each
 * statement another session, and so lose the lock that lets only one process migrate. Throws if the
 * settings name no such connection.
 */
export async function migrateDirectly(config: Addresses, db: Db, options: MigrateOptions = {}) {
  const { databaseUrl, databaseMigrationUrl } = config
  if (!databaseUrl) return migrateToLatest(db, options)
  await requireOwnSession(databaseMigrationUrl ?? databaseUrl)
  if (!databaseMigrationUrl) return migrateToLatest(db, options)

  const address = { ...config, databaseUrl: databaseMigrationUrl, databasePoolMax: 1 }
  const direct = await openDatabase(address, () => {})
  try {
    const result = await migrateToLatest(direct, options)
    if (await isNewest(db)) return result
    throw new Error('DATABASE_MIGRATION_URL leads to another database than DATABASE_URL.')
  } finally {
    await direct.destroy()
  }
}

/** A pooler answers with a process id of its own, because its connections have no process. */
async function requireOwnSession(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    if (rows[0].pid === Reflect.get(client, 'processID')) return
  } finally {
    await client.end()
  }
  throw new Error(
    'The connection leads to a pooler, which keeps no lock while the schema is migrated. ' +
      'Set DATABASE_MIGRATION_URL to the address of PostgreSQL itself.',
  )
}
