import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const usage = `Packs the client of the service, to be installed in other projects: npm run client [-- FOLDER]

  FOLDER   where to put the package (dist/client)

Prints the path of the package, for npm install.`

const compiled = 'dist/src/client'

interface Service {
  version: string
  license: string
  devDependencies: Record<string, string>
}

/** The client has the version of the service, because they are released together. */
function describe({ version, license, devDependencies }: Service) {
  return {
    name: 'workplace-simulation-client',
    version,
    description: 'Calls the workplace simulation service from browsers and Node.js',
    license,
    type: 'module',
    sideEffects: false,
    exports: { types: './client.d.ts', default: './client.js' },
    engines: { node: '>=20' },
    dependencies: { 'openapi-fetch': devDependencies['openapi-fetch'] },
  }
}

/** The types of the contract have no code, so only their declaration is packed. */
const isPacked = (file: string) => /\.(js|d\.ts)$/.test(file) && file !== 'contract-types.js'

function pack(folder: string): string {
  const contents = mkdtempSync(join(tmpdir(), 'client-'))
  for (const file of readdirSync(compiled).filter(isPacked)) {
    copyFileSync(join(compiled, file), join(contents, file))
  }
  copyFileSync('src/client/README.md', join(contents, 'README.md'))
  copyFileSync('LICENSE', join(contents, 'LICENSE'))
  const service: Service = JSON.parse(readFileSync('package.json', 'utf8'))
  writeFileSync(join(contents, 'package.json'), JSON.stringify(describe(service), null, 2))
  mkdirSync(folder, { recursive: true })
  const args = ['pack', '--silent', '--pack-destination', resolve(folder)]
  const name = execFileSync('npm', args, { cwd: contents, encoding: 'utf8' })
  rmSync(contents, { recursive: true })
  return resolve(folder, name.trim())
}

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean' } },
  allowPositionals: true,
})
console.log(values.help ? usage : pack(positionals[0] ?? 'dist/client'))
