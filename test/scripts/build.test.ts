import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import type { Test } from 'tap'
import { t } from '../helpers/file.js'

const contract = (path: string) => `openapi: 3.1.0
info: { title: Contract, version: 0.0.0 }
paths: { ${path}: { get: { operationId: get, responses: { 204: { description: None } } } } }
`

const part = (path: string) => `paths: { ${path}: { description: Users } }
`

const catalogue = 'src/blueprints/catalogue'
const shape = { 'schema.yaml': contract('/shape') }

/** Creates a package that is built like this one, but has almost no content. */
function createPackage(t: Test, { hasTypes = true } = {}) {
  const root = t.testdir({
    'package.json': '{ "type": "module" }',
    'package-lock.json': '{}',
    'openapi.yaml': contract('/first'),
    src: {
      'one.ts': 'export const one = 1\n',
      blueprints: { catalogue: shape },
      users: { 'contract.yaml': part('/users') },
      client: { 'client.ts': 'export {}\n', 'call.ts': 'export {}\n' },
    },
    migrations: { 'first.ts': 'export {}\n' },
    scripts: {},
    test: { 'a.test.ts': 'export {}\n', 'b.test.ts': 'export {}\n' },
  })
  for (const script of ['build.js', 'contract-types.js']) {
    cpSync(`scripts/${script}`, join(root, 'scripts', script))
  }
  for (const file of ['tsconfig.json', 'src/client/tsconfig.json']) {
    const { compilerOptions, ...config } = JSON.parse(readFileSync(file, 'utf8'))
    // Without the large declarations that the compiler would read at each build.
    const tsconfig = { ...config, compilerOptions: { ...compilerOptions, lib: ['ES5'], types: [] } }
    writeFileSync(join(root, file), JSON.stringify(tsconfig))
  }
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  if (hasTypes) {
    for (const file of types) writeFileSync(join(root, file), 'export {}\n')
    const before = new Date(0)
    for (const origin of ['openapi.yaml', `${catalogue}/schema.yaml`, 'package-lock.json']) {
      utimesSync(join(root, origin), before, before)
    }
  }
  const run = () =>
    spawnSync(process.execPath, ['scripts/build.js'], { cwd: root, encoding: 'utf8' })
  return {
    build: () => run().status,
    /** Builds, and returns what the build says meanwhile. */
    said() {
      const { stdout, stderr } = run()
      return { stdout, steps: stderr.split('\n').filter(Boolean) }
    },
    has: (file: string) => existsSync(join(root, file)),
    read: (file: string) => readFileSync(join(root, file), 'utf8'),
    write: (file: string, text: string) => writeFileSync(join(root, file), text),
    remove: (file: string) => rmSync(join(root, file), { recursive: true }),
    changedAt: (file: string) => statSync(join(root, file)).mtimeMs,
    touch: (file: string) => utimesSync(join(root, file), new Date(), new Date()),
  }
}

const types = [
  'src/contract-types.ts',
  'src/client/contract-types.ts',
  `${catalogue}/schema-types.ts`,
]
const client = ['dist/src/client/client.js', 'dist/src/client/client.d.ts']
const made = [
  'dist/openapi.yaml',
  'dist/openapi.json',
  ...types,
  ...client,
  'dist/src/one.js',
  'dist/migrations/first.js',
]

t.test('The build makes what is needed, and no more', async (t) => {
  const { build, has, read, write, remove, changedAt, touch } = createPackage(t, {
    hasTypes: false,
  })
  t.equal(build(), 0)
  const times = made.map(changedAt)
  t.equal(build(), 0)
  t.strictSame(made.map(changedAt), times, 'unchanged files are not built again')

  write('openapi.yaml', contract('/second'))
  write(`${catalogue}/schema.yaml`, contract('/other'))
  write('src/one.ts', 'export const one = 2\n')
  t.equal(build(), 0)
  t.match(read('src/contract-types.ts'), '/second', 'the types of a changed contract')
  t.match(read('dist/openapi.json'), '/second')
  t.match(read(`${catalogue}/schema-types.ts`), '/other', 'the types of the catalogue as well')
  t.match(read('dist/src/one.js'), 'one = 2', 'changed files are built again')

  remove('dist/test')
  remove('dist/src/client')
  t.equal(build(), 0)
  t.ok(has('dist/test/a.test.js'), 'missing files are built again')
  t.ok(client.every(has), 'the missing files of the client as well')
  remove('dist')
  t.equal(build(), 0)
  t.ok(made.every(has), 'even when all files are missing')

  const before = changedAt('dist/.tsbuildinfo')
  touch('package-lock.json')
  t.equal(build(), 0)
  t.ok(
    changedAt('dist/.tsbuildinfo') > before,
    'everything is built again when the packages have changed',
  )

  mkdirSync(join(t.testdirName, 'dist/client'))
  write('dist/client/packed.tgz', '')
  remove('test/b.test.ts')
  remove('migrations/first.ts')
  remove('src/client/call.ts')
  t.equal(build(), 0)
  const compiled = ['src/client/call.js', 'src/client/call.d.ts', 'migrations/first.js']
  const gone = ['test/b.test.js', 'test/b.test.js.map', ...compiled]
  t.strictSame(
    gone.filter((file) => has(`dist/${file}`)),
    [],
    'the output of a deleted source is removed',
  )
  t.ok(has('dist/test/a.test.js'))
  t.ok(has('dist/client/packed.tgz'), 'the packed client is kept')
})

t.test('The build says what it makes', async (t) => {
  const { said, write } = createPackage(t, { hasTypes: false })
  t.strictSame(said(), {
    stdout: '',
    steps: [
      'Building: the contract',
      ...types.map((file) => `Building: the types in ${file}`),
      'Building: the code',
    ],
  })
  t.strictSame(said(), { stdout: '', steps: [] }, 'and nothing when nothing has changed')
  write('src/one.ts', 'export const one = 2\n')
  t.strictSame(said().steps, ['Building: the code'])
})

t.test('The build fails while the types are wrong', async (t) => {
  const { build, write } = createPackage(t)
  write('src/one.ts', "export const one: number = 'one'\n")
  t.not(build(), 0)
  t.not(build(), 0)
  write('src/one.ts', 'export const one = 3\n')
  t.equal(build(), 0)
})
