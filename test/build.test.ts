import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import type { Test } from 'tap'
import { t } from './helpers/file.js'

const contract = (path: string) => `openapi: 3.1.0
info: { title: Contract, version: 0.0.0 }
paths: { ${path}: { get: { operationId: get, responses: { 204: { description: None } } } } }
`

const part = (path: string) => `paths: { ${path}: { description: Users } }
`

const catalogue = 'src/blueprints/catalogue'
const shape = { 'schema.yaml': contract('/shape') }

/** A package that is built as this one is, with next to nothing in it. */
function createPackage(t: Test, { hasTypes = true } = {}) {
  const root = t.testdir({
    'package.json': '{ "type": "module" }',
    'package-lock.json': '{}',
    'openapi.yaml': contract('/first'),
    src: {
      'one.ts': 'export const one = 1\n',
      blueprints: { catalogue: shape },
      users: { 'contract.yaml': part('/users') },
    },
    migrations: { 'first.ts': 'export {}\n' },
    scripts: {},
    test: { 'a.test.ts': 'export {}\n', 'b.test.ts': 'export {}\n' },
  })
  for (const script of ['build.js', 'contract-types.js']) {
    cpSync(`scripts/${script}`, join(root, 'scripts', script))
  }
  const { compilerOptions, ...config } = JSON.parse(readFileSync('tsconfig.json', 'utf8'))
  // The large declarations that the compiler would read at each build.
  const tsconfig = { ...config, compilerOptions: { ...compilerOptions, lib: ['ES5'], types: [] } }
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(tsconfig))
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  if (hasTypes) {
    writeFileSync(join(root, 'src/contract-types.ts'), 'export {}\n')
    writeFileSync(join(root, catalogue, 'schema-types.ts'), 'export {}\n')
    const before = new Date(0)
    for (const origin of ['openapi.yaml', `${catalogue}/schema.yaml`, 'package-lock.json']) {
      utimesSync(join(root, origin), before, before)
    }
  }
  return {
    build() {
      const { status } = spawnSync(process.execPath, ['scripts/build.js'], { cwd: root })
      return status
    },
    has: (file: string) => existsSync(join(root, file)),
    read: (file: string) => readFileSync(join(root, file), 'utf8'),
    write: (file: string, text: string) => writeFileSync(join(root, file), text),
    remove: (file: string) => rmSync(join(root, file), { recursive: true }),
    changedAt: (file: string) => statSync(join(root, file)).mtimeMs,
    touch: (file: string) => utimesSync(join(root, file), new Date(), new Date()),
  }
}

const types = ['src/contract-types.ts', `${catalogue}/schema-types.ts`]
const made = ['dist/openapi.yaml', ...types, 'dist/src/one.js', 'dist/migrations/first.js']

t.test('The build makes what is wanted, and no more', async (t) => {
  const { build, has, read, write, remove, changedAt, touch } = createPackage(t, {
    hasTypes: false,
  })
  t.equal(build(), 0)
  const times = made.map(changedAt)
  t.equal(build(), 0)
  t.strictSame(made.map(changedAt), times, 'nothing again that has not changed')

  write('openapi.yaml', contract('/second'))
  t.equal(build(), 0)
  t.match(read('src/contract-types.ts'), '/second', 'the types, when the contract has changed')
  write(`${catalogue}/schema.yaml`, contract('/other'))
  t.equal(build(), 0)
  t.match(read(`${catalogue}/schema-types.ts`), '/other', 'and those of the catalogue')

  write('src/one.ts', 'export const one = 2\n')
  t.equal(build(), 0)
  t.match(read('dist/src/one.js'), 'one = 2', 'what has changed')
  remove('dist/test')
  t.equal(build(), 0)
  t.ok(has('dist/test/a.test.js'), 'and what is missing')
  remove('dist')
  t.equal(build(), 0)
  t.ok(made.every(has), 'be it all')

  const before = changedAt('dist/.tsbuildinfo')
  touch('package-lock.json')
  t.equal(build(), 0)
  t.ok(changedAt('dist/.tsbuildinfo') > before, 'all, when the packages have changed')
})

t.test('The build leaves nothing of a source that is gone', async (t) => {
  const { build, has, remove } = createPackage(t)
  t.equal(build(), 0)
  remove('test/b.test.ts')
  remove('migrations/first.ts')
  t.equal(build(), 0)
  const gone = ['test/b.test.js', 'test/b.test.js.map', 'migrations/first.js']
  t.strictSame(
    gone.filter((file) => has(`dist/${file}`)),
    [],
  )
  t.ok(has('dist/test/a.test.js'))
})

t.test('The build fails as long as the types do not fit', async (t) => {
  const { build, write } = createPackage(t)
  write('src/one.ts', "export const one: number = 'one'\n")
  t.not(build(), 0)
  t.not(build(), 0)
  write('src/one.ts', 'export const one = 3\n')
  t.equal(build(), 0)
})
