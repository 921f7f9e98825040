import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const database = /^dist\/test\/helpers\/(database|process)\.js$/
const browser = 'dist/test/helpers/browser.js'
/** It plays a whole drill, so it runs on each database. */
const drill = 'pages/whole-drill'

/**
 * Whether a file comes out the same on every database, because it needs none, or because it tests pages.
 * Such a file runs on the embedded database only.
 */
export function isSameEverywhere(file: string): boolean {
  const modules = modulesOf(file)
  if (modules.has(browser)) return !file.includes(drill)
  return ![...modules].some((module) => database.test(module))
}

/** The modules of ours that a module imports, directly or through others, and itself. */
function modulesOf(module: string, found = new Set<string>()): Set<string> {
  if (found.has(module) || !existsSync(module)) return found
  found.add(module)
  const imports = readFileSync(module, 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)
  for (const [, path = ''] of imports) modulesOf(join(dirname(module), path), found)
  return found
}
