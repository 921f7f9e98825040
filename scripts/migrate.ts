import { createMigrator } from '../src/database/migrate.js'
import { migrateDirectly } from '../src/database/migrate-directly.js'
import { openDatabase } from '../src/database/open.js'
import { readConfig } from '../src/process/config.js'

/** Brings the database that the environment names to the newest schema, and says what it took. */
async function migrate(): Promise<void> {
  const config = readConfig()
  const db = await openDatabase(config, (error) => console.error(`Database: ${error.message}`))
  try {
    const migrations = await createMigrator(db).getMigrations()
    const pending = migrations.filter(({ executedAt }) => !executedAt)
    await migrateDirectly(config, db)
    for (const { name } of pending) console.log(`Applied ${name}`)
    if (pending.length === 0) console.log('Nothing to do: the schema is the newest.')
  } finally {
    await db.destroy()
  }
}

try {
  await migrate()
} catch (error) {
  console.error(`Not migrated: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
