import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'

/**
 * The whole suite as a few processes instead of one a file, of which each would load everything and
 * start a service of its own first.
 */
function writeParts(count) {
  const names = readdirSync('dist/test').filter((name) => name.endsWith('.test.js'))
  return Array.from({ length: count }, (_, part) => {
    const own = JSON.stringify(names.filter((_, i) => i % count === part))
    const entry = `dist/test/part-${part + 1}.js`
    writeFileSync(entry, `import { runFiles } from './helpers/file.js'\nawait runFiles(${own})\n`)
    return entry
  })
}

// Where no terminal is, the reporter would print a picture of its progress for every test that ends.
const env = process.stdout.isTTY ? process.env : { CI: 'true', ...process.env }
const args = process.argv.slice(2)
const files = args.some((arg) => !arg.startsWith('-')) ? [] : writeParts(2)
const tap = ['node_modules/tap/dist/esm/run.mjs', ...args, ...files]
const { status } = spawnSync(process.execPath, tap, { stdio: 'inherit', env })
process.exit(status ?? 1)
