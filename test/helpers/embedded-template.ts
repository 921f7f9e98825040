import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'

const manifest = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'))
const { version } = JSON.parse(readFileSync(fileURLToPath(manifest), 'utf8'))

/** An empty database of this version of PGlite: copying one takes a tenth of making one. */
export const templateDirectory = join(tmpdir(), `workplace-simulation-pglite-${version}`)

/** Makes the template once for all test files, whichever of them comes first. */
export async function makeTemplate(): Promise<void> {
  if (existsSync(templateDirectory)) return
  const draft = `${templateDirectory}.${process.pid}`
  const database = await PGlite.create(draft)
  await database.close()
  try {
    renameSync(draft, templateDirectory)
  } catch (error) {
    // Another process was first.
    rmSync(draft, { recursive: true })
    if (!existsSync(templateDirectory)) throw error
  }
}
