import { parseArgs } from 'node:util'
import pg from 'pg'
import { findMisspellings, readConfig } from '../src/config.js'
import { countNodes, distribution, removeHiddenRows } from '../src/database/distribution.js'
import { migrateToLatest } from '../src/database/migrate.js'
import { openDatabase } from '../src/database/open.js'

/** Spreads the tables over the Citus cluster that the environment names, and says what it took. */
async function distribute(): Promise<void> {
  // Whoever gives an option, as to be told how this is used, does not want the tables spread yet.
  parseArgs({ options: {} })
  const config = readConfig()
  if (!config.databaseUrl) {
    const faults = ['DATABASE_URL must name the coordinator of a cluster.', ...findMisspellings()]
    throw new Error(faults.join('\n  '))
  }
  const db = await openDatabase(config, (error) => console.error(`Database: ${error.message}`))
  try {
    const nodes = await countNodes(db)
    const { applied } = await migrateToLatest(db, {
      isToSpread: true,
      onSpread: (table, column) =>
        console.log(column ? `Spread ${table} by ${column}` : `Copied ${table} to every node`),
    })
    if (applied > 0) console.log(`Applied ${applied} migrations`)
    await removeHiddenRows(db)
    const tables = Object.keys(distribution).length
    console.log(`${tables} tables are spread over ${nodes} nodes.`)
  } finally {
    await db.destroy()
  }
}

try {
  await distribute()
} catch (error) {
  console.error(`Not distributed: ${error instanceof Error ? error.message : error}`)
  if (error instanceof pg.DatabaseError) {
    console.error('What is spread stays so. Stop the service if it runs, and run this again.')
  }
  process.exit(1)
}
