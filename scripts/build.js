import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'

/** The contract in one file, as the service reads and serves it. */
const contract = 'dist/openapi.yaml'
/** What types are generated from, and where they go. */
const described = {
  [contract]: 'src/contract-types.ts',
  'src/blueprints/catalogue/schema.yaml': 'src/blueprints/catalogue/schema-types.ts',
}
const generator = 'scripts/contract-types.js'
/** What the compiler remembers of its last run. */
const record = 'dist/.tsbuildinfo'

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** Its notices about versions are worth reading only where it fails. */
function bundle() {
  const args = ['bundle', 'openapi.yaml', `--output=${contract}`]
  const { status, stderr } = spawnSync(
    process.execPath,
    ['node_modules/@redocly/cli/bin/cli.js', ...args],
    { encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off' } },
  )
  if (status === 0) return
  console.error(stderr)
  process.exit(status ?? 1)
}

function isOlder(file, ...origins) {
  const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return origins.some((origin) => changedAt(origin) >= changedAt(file))
}

/** What was made of each source that the record knows. */
function outputs() {
  if (!existsSync(record)) return []
  return JSON.parse(readFileSync(record, 'utf8'))
    .fileNames.map((name) => relative('', join('dist', name)))
    .filter((name) => !name.includes('node_modules') && existsSync(name))
    .map((name) => join('dist', name.replace(/\.ts$/, '.js')))
}

const parts = readdirSync('src', { recursive: true })
  .filter((name) => basename(name) === 'contract.yaml')
  .map((name) => join('src', name))
if (isOlder(contract, 'openapi.yaml', ...parts, 'package-lock.json')) {
  bundle()
}
for (const [description, types] of Object.entries(described)) {
  if (!isOlder(types, description, generator, 'package-lock.json')) continue
  run(generator, description, types)
}
// The compiler looks at neither: what it made, and the types that packages bring.
if (isOlder(record, 'package-lock.json') || !outputs().every(existsSync)) {
  rmSync(record, { force: true })
}
run('node_modules/typescript/bin/tsc', '--build')

// A deleted test would still run, and a deleted migration would still be applied.
const current = new Set([contract, record, ...outputs().flatMap((file) => [file, `${file}.map`])])
for (const name of readdirSync('dist', { recursive: true })) {
  const file = join('dist', name)
  if (!current.has(file) && statSync(file).isFile()) rmSync(file)
}
