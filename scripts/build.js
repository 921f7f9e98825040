import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { load } from 'js-yaml'

/** The contract in one file, as the service reads and serves it. */
const contract = 'dist/openapi.yaml'
/** The same as JSON, which takes a tenth of the time to read. */
const contractJson = 'dist/openapi.json'
/** The catalogue, checked, and the files that it is made of. */
const catalogue = 'dist/catalogue.json'
const catalogueFolder = 'src/blueprints/catalogue'
/** What types are generated from, where they go, and who sees the contract so. */
const described = [
  [contract, 'src/contract-types.ts', 'handlers'],
  [contract, 'src/client/contract-types.ts', 'callers'],
  [`${catalogueFolder}/schema.yaml`, `${catalogueFolder}/schema-types.ts`, 'handlers'],
]
/** The service and its packages in few files. */
const service = 'dist/service/server.js'
const generator = 'scripts/contract-types.js'
/** What the compiler remembers of its last run, for the client and for all else. */
const records = ['dist/client.tsbuildinfo', 'dist/.tsbuildinfo']
/** What others put into dist. */
const kept = /^(client|pages|service)\/|^pages\.tsbuildinfo$/

/** Says what takes a while. On the error output: some commands print an answer after they were built. */
const say = (step) => console.error(`Building: ${step}`)

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

/** All files of a folder, and its folders: they are as new as the last file that came or went. */
const pathsIn = (folder) => [
  folder,
  ...readdirSync(folder, { recursive: true }).map((name) => join(folder, name)),
]

/** Whether a path is a source of the main program; the folders that it leaves out are in tsconfig.json. */
const isCompiled = (path) =>
  path.endsWith('.ts') && !/^(src.client|src.pages|scripts.bench|test.codegen)\b/.test(path)

/** What was made of each source that a record knows. */
function outputsOf(record) {
  if (!existsSync(record)) return []
  return JSON.parse(readFileSync(record, 'utf8'))
    .fileNames.map((name) => relative('', join('dist', name)))
    .filter((name) => !/node_modules|^dist/.test(name) && existsSync(name))
    .map((name) => join('dist', name.replace(/\.ts$/, '.js')))
}

/** A declaration only where another program reads it. */
const partsOf = (file) => [file, `${file}.map`, file.replace(/\.js$/, '.d.ts')]

const parts = readdirSync('src', { recursive: true })
  .filter((name) => basename(name) === 'contract.yaml')
  .map((name) => join('src', name))
if (isOlder(contract, 'openapi.yaml', ...parts, 'package-lock.json')) {
  say('the contract')
  bundle()
}
if (isOlder(contractJson, contract)) {
  writeFileSync(contractJson, JSON.stringify(load(readFileSync(contract, 'utf8'))))
}
for (const [description, types, side] of described) {
  if (!isOlder(types, description, generator, 'package-lock.json')) continue
  say(`the types in ${types}`)
  run(generator, description, types, side)
}
// The compiler looks at neither: what it made, and the types that packages bring.
for (const record of records) {
  if (isOlder(record, 'package-lock.json') || !outputsOf(record).every(existsSync)) {
    rmSync(record, { force: true })
  }
}
const sources = ['src', 'migrations', 'scripts', 'test'].flatMap(pathsIn).filter(isCompiled)
if (isOlder(records[1], ...sources)) say('the code')
run('node_modules/typescript/bin/tsc', '--build')
if (existsSync('src/pages')) run('scripts/pages.js')
if (existsSync(`${catalogueFolder}/scenarios`) && isOlder(catalogue, ...pathsIn(catalogueFolder))) {
  say('the catalogue')
  run('scripts/catalogue.js')
}
if (existsSync('dist/src/server.js') && isOlder(service, records[1], 'scripts/bundle.js')) {
  say('the service in one file')
  run('scripts/bundle.js')
}

// A deleted test would still run, and a deleted migration would still be applied.
const current = new Set([
  contract,
  contractJson,
  catalogue,
  ...records,
  ...records.flatMap(outputsOf).flatMap(partsOf),
])
for (const name of readdirSync('dist', { recursive: true })) {
  const file = join('dist', name)
  if (!current.has(file) && !kept.test(name) && statSync(file).isFile()) rmSync(file)
}
