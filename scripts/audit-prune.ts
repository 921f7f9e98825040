import { parseArgs } from 'node:util'
import { pruneTrails } from '../src/audit-events/retention.js'
import { openDatabase } from '../src/database/open.js'
import { readConfig } from '../src/process/config.js'

/** Removes the events that organizations no longer keep, and says how many. */
async function prune(): Promise<void> {
  // An option such as --help is refused, before anything is removed.
  parseArgs({ options: {} })
  const db = await openDatabase(readConfig(), (error) =>
    console.error(`Database: ${error.message}`),
  )
  try {
    let events = 0
    for await (const { organization_id, events: removed } of pruneTrails(db)) {
      console.log(`${organization_id}: ${removed} events removed`)
      events += removed
    }
    if (events === 0) console.log('Nothing to do: no sealed event is older than it is kept.')
  } finally {
    await db.destroy()
  }
}

try {
  await prune()
} catch (error) {
  console.error(`Not pruned: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
