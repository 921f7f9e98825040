import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

// One more than there are cores: some files mostly wait for the processes they start.
const count = Math.min(availableParallelism() + 1, 8)
const claims = mkdtempSync(join(tmpdir(), 'test-claims-'))
const all = readdirSync('dist/test').filter((name) => name.endsWith('.test.js'))

/**
 * The whole suite as a few processes instead of one a file, of which each would load everything and
 * start a service of its own first. Each takes the next file that no other has taken.
 */
function writeParts() {
  // Those that start processes take longest, so they come first.
  const names = [...all.filter(startsProcesses), ...all.filter((name) => !startsProcesses(name))]
  const args = [names, claims].map((arg) => JSON.stringify(arg)).join(', ')
  return Array.from({ length: count }, (_, part) => {
    const entry = `dist/test/part-${part + 1}.js`
    writeFileSync(entry, `import { runFiles } from './helpers/file.js'\nawait runFiles(${args})\n`)
    return entry
  })
}

const startsProcesses = (name) =>
  /node:child_process|helpers\/(process|holder|standby)\.js|playwright/.test(
    readFileSync(`dist/test/${name}`, 'utf8'),
  )

// Where no terminal is, the reporter would print a picture of its progress for every test that ends.
const env = process.stdout.isTTY ? process.env : { CI: 'true', ...process.env }
const args = process.argv.slice(2)
const isWhole = args.every((arg) => arg.startsWith('-'))
const parts = isWhole ? writeParts() : []
const tap = ['node_modules/tap/dist/esm/run.mjs', `--jobs=${count}`, ...args, ...parts]
const { status } = spawnSync(process.execPath, tap, { stdio: 'inherit', env })

const left = isWhole ? all.filter((name) => !existsSync(join(claims, name))) : []
if (left.length > 0) console.error(`These files were not run: ${left.join(', ')}`)
rmSync(claims, { recursive: true })
process.exit(left.length > 0 ? 1 : (status ?? 1))
