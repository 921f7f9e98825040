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
const makers = ['open', 'initialize'].map((name) =>
  fileURLToPath(new URL(`../../src/database/embedded/${name}.js`, import.meta.url)),
)
const steps = readdirSync(migrations).map((name) => join(migrations, name))
const origins = [manifest, ...makers, ...steps]

/** The directory of the templates. Its name is a hash of the files that decide its content. */
function templateDirectory(): string {
  const hash = createHash('sha256')
  for (const file of origins) hash.update(readFileSync(file))
  return join(tmpdir(), `workplace-simulation-${hash.digest('hex').slice(0, 16)}`)
}

/**
 * Copies an embedded database, migrated or empty, into a DATA_DIR. A copy takes a tenth of the time
 * of a new one, so the first test file creates a template of each kind for all files.
 */
export async function copyDatabase(
  dataDir: string,
  { isMigrated }: { isMigrated: boolean },
): Promise<void> {
  const template = join(templateDirectory(), isMigrated ? 'migrated' : 'empty')
  if (!existsSync(template)) await makeTemplate(template, isMigrated)
  cpSync(join(template, 'postgres'), join(dataDir, 'postgres'), { recursive: true })
}

async function makeTemplate(template: string, isMigrated: boolean): Promise<void> {
  const draft = `${template}.${process.pid}`
  if (isMigrated) await copyDatabase(draft, { isMigrated: false })
  const options = { databaseUrl: null, dataDir: draft, databasePoolMax: 1 }
  const db = await openDatabase(options, () => {})
  if (isMigrated) await migrateToLatest(db)
  await db.destroy()
  try {
    renameSync(draft, template)
  } catch (error) {
    // Another process has created the same template.
    rmSync(draft, { recursive: true })
    if (!existsSync(template)) throw error
  }
}
