import { parseArgs } from 'node:util'
import pg from 'pg'
import { countNodes, distribution, removeHiddenRows } from '../src/database/distribution.js'
import { migrateDirectly } from '../src/database/migrate-directly.js'
import { openDatabase } from '../src/database/open.js'
import { findMisspellings, readConfig } from '../src/process/config.js'

/** Distributes the tables over the Citus cluster of the environment, and prints the steps. */
async function distribute(): Promise<void> {
  // Fails on any option, so that a call for help does not distribute the tables.
  parseArgs({ options: {} })
  const config = readConfig()
  if (!config.databaseUrl) {
    const faults = ['DATABASE_URL must name the coordinator of a cluster.', ...findMisspellings()]
    throw new Error(faults.join('\n  '))
  }
  const db = await openDatabase(config, (error) => console.error(`Database: ${error.message}`))
  try {
    const nodes = await countNodes(db)
    const { applied } = await migrateDirectly(config, db, {
      shouldDistribute: true,
      onDistributed: (table, column) =>
        console.log(column ? `Distributed ${table} by ${column}` : `Copied ${table} to every node`),
    })
    if (applied > 0) console.log(`Applied ${applied} migrations`)
    await removeHiddenRows(db)
    const tables = Object.keys(distribution).length
    console.log(`${tables} tables are distributed over ${nodes} nodes.`)
  } finally {
    await db.destroy()
  }
}

try {
  await distribute()
} catch (error) {
  console.error(`Not distributed: ${error instanceof Error ? error.message : error}`)
  if (error instanceof pg.DatabaseError) {
    console.error(
      'Distributed tables stay distributed. Stop the service if it runs, and run this again.',
    )
  }
  process.exit(1)
}
