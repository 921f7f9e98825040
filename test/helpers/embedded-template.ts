import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrateToLatest } from '../../src/database/migrate.js'
import { openDatabase } from '../../src/database/open.js'

const manifest = fileURLToPath(
  new URL('../package.json', import.meta.resolve('@electric-sql/pglite')),
)
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))
const origins = [manifest, ...readdirSync(migrations).map((name) => join(migrations, name))]

/** Named by all that decides what is in it. */
function templateDirectory(): string {
  const hash = createHash('sha256')
  for (const file of origins) hash.update(readFileSync(file))
  return join(tmpdir(), `workplace-simulation-${hash.digest('hex').slice(0, 16)}`)
}

/**
 * Fills a DATA_DIR with an embedded database that is migrated and empty. Copying one takes a tenth
 * of making one, so it is made once for all test files, by whichever comes first.
 */
export async function copyMigratedDatabase(dataDir: string): Promise<void> {
  const template = templateDirectory()
  if (!existsSync(template)) await makeTemplate(template)
  cpSync(join(template, 'postgres'), join(dataDir, 'postgres'), { recursive: true })
}

async function makeTemplate(template: string): Promise<void> {
  const draft = `${template}.${process.pid}`
  const options = { databaseUrl: null, dataDir: draft, databasePoolMax: 1 }
  const db = await openDatabase(options, () => {})
  await migrateToLatest(db)
  await db.destroy()
  try {
    renameSync(draft, template)
  } catch (error) {
    // Another process was first.
    rmSync(draft, { recursive: true })
    if (!existsSync(template)) throw error
  }
}
