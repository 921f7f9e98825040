import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

// More than there are cores: some files mostly wait for the processes they start.
const count = availableParallelism() + 2
const claims = mkdtempSync(join(tmpdir(), 'test-claims-'))

/**
 * The whole suite as a few processes instead of one a file, of which each would load everything and
 * start a service of its own first. Each takes the next file that no other has taken.
 */
function writeParts() {
  const names = readdirSync('dist/test').filter((name) => name.endsWith('.test.js'))
  // Most of those that start processes are late in the alphabet, and long: they come first.
  const args = [names.sort().reverse(), claims].map((arg) => JSON.stringify(arg)).join(', ')
  return Array.from({ length: count }, (_, part) => {
    const entry = `dist/test/part-${part + 1}.js`
    writeFileSync(entry, `import { runFiles } from './helpers/file.js'\nawait runFiles(${args})\n`)
    return entry
  })
}

// Where no terminal is, the reporter would print a picture of its progress for every test that ends.
const env = process.stdout.isTTY ? process.env : { CI: 'true', ...process.env }
const args = process.argv.slice(2)
const files = args.some((arg) => !arg.startsWith('-')) ? [] : writeParts()
const tap = ['node_modules/tap/dist/esm/run.mjs', `--jobs=${count}`, ...args, ...files]
const { status } = spawnSync(process.execPath, tap, { stdio: 'inherit', env })
rmSync(claims, { recursive: true })
process.exit(status ?? 1)
