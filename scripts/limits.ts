import { parseArgs } from 'node:util'
import { isNewDatabase, openDatabase } from '../src/database/open.js'
import { limitNames } from '../src/limits.js'
import { organizationExists } from '../src/organizations/queries.js'
import { readConfig } from '../src/process/config.js'
import { changeLimits, readLimitChanges } from '../src/usage/change-limits.js'
import { selectUsed } from '../src/usage/current-usage.js'
import { defaultLimits } from '../src/usage/default-limits.js'
import { selectAllowed } from '../src/usage/limit-queries.js'

const usage = `Shows and changes the limits of an organization:

  npm run limits -- ORGANIZATION_ID                      shows what it uses and may use
  npm run limits -- ORGANIZATION_ID templates=20000 …    sets limits
  npm run limits -- ORGANIZATION_ID templates=default …  lets them have their defaults again

Takes effect within 5 seconds in every process.`

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' } },
  })
  const [organization_id, ...texts] = positionals
  if (values.help || !organization_id) return console.log(usage)
  const changes = readLimitChanges(texts)
  const config = readConfig()
  const defaults = defaultLimits(config)
  // A database that is made now has no organization.
  if (isNewDatabase(config)) {
    throw new Error(
      `There is no database in ${config.dataDir}. Set DATABASE_URL or DATA_DIR as for the service.`,
    )
  }
  const db = await openDatabase(config, (error) => console.error(`Database: ${error.message}`))
  try {
    if (!(await organizationExists(db, organization_id))) {
      throw new Error(`${organization_id}: is not an organization`)
    }
    if (changes.size > 0) {
      await changeLimits(db, defaults, organization_id, changes)
      console.log('Changed.')
    }
    const allowed = await selectAllowed(db, defaults, organization_id)
    const used = await selectUsed(db, organization_id)
    for (const name of limitNames) {
      const usual = defaults.verified[name]
      const note = allowed[name] === usual ? '' : ` (default ${usual})`
      console.log(`${name}: ${used.get(name) ?? '-'} of ${allowed[name]}${note}`)
    }
  } finally {
    await db.destroy()
  }
}

try {
  await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
