import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Test } from 'tap'
import { onCluster } from '../../scripts/test/on-cluster.js'
import { isSameEverywhere } from '../../scripts/test/once.js'
import { t } from '../helpers/file.js'

const file = (body: string) => `import { t } from '../helpers/file.js'\n${body}\n`

const stable = file("t.test('One and one', async (t) => t.equal(1 + 1, 2))")
const skipped = file("t.test('A page', { skip: 'there is no browser' }, async () => {})")
const wrong = file("t.test('One and two', async (t) => t.equal(1 + 2, 2, 'are two'))")
const broken = file("t.test('Breaks off', async () => process.kill(process.pid, 'SIGKILL'))")
const late = file(`t.test('Ends', async (t) => t.pass())
process.once('beforeExit', () => { throw new Error('too late') })`)
const unstable = (name: string) =>
  file(`import { existsSync, writeFileSync } from 'node:fs'
const isFirst = !existsSync('${name}')
writeFileSync('${name}', '')
t.test('A race', async (t) => {
  t.test('between two', async (t) => t.equal(isFirst, false, 'is won'))
})`)

/** Runs test files, given by `folder/name`, as `npm test` does. Returns the lines of the output. */
function run(
  t: Test,
  files: Record<string, string>,
  { args = [] as string[], environment = {} as Record<string, string> } = {},
) {
  const root = t.testdir()
  mkdirSync(join(root, 'dist/test/helpers'), { recursive: true })
  for (const name of ['file.js', 'part.js']) {
    cpSync(join('dist/test/helpers', name), join(root, 'dist/test/helpers', name))
  }
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, 'dist/test', `${name}.test.js`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const program = resolve('dist/scripts/test.js')
  const { PATH = '' } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: root,
    env: { PATH, ...environment },
    encoding: 'utf8',
  })
  const lines = stdout.trimEnd().split('\n')
  return { status, lines, last: lines.at(-1), errors: stderr }
}

t.test('A run of the suite', async (t) => {
  t.test('prints a line for each file, the slowest files and the reasons of skips', async (t) => {
    const { status, lines, last } = run(t, {
      'a/one': stable,
      'a/two': stable,
      'b/page': skipped,
    })
    t.equal(status, 0)
    for (const name of ['a/one', 'a/two', 'b/page']) {
      const own = lines.filter((line) => line.endsWith(` s test/${name}.test.ts`))
      t.equal(own.length, 2, `${name} has a line when it ends, and a line among the slowest`)
    }
    t.ok(lines.includes('1 skipped: there is no browser'))
    t.match(last, /^2 passed, 0 failed, 1 skipped, 0 unstable, 3 files in \d+ s$/)
  })

  t.test('passes if a file fails only once, and names the failed tests', async (t) => {
    const { status, lines, last } = run(t, { 'a/one': stable, 'a/race': unstable('race') })
    t.equal(status, 0)
    const title = 'test/a/race.test.ts: A race > between two > is won'
    const at = lines.indexOf(`UNSTABLE ${title}`)
    t.ok(lines.indexOf(`FAILED ${title}`) < at)
    t.ok(lines.slice(at).includes('    compare: ==='), 'with the details of the failure')
    t.match(last, /^2 passed, 0 failed, 0 skipped, 1 unstable, /)
  })

  t.test('fails if a file fails twice', async (t) => {
    const { status, lines, last } = run(t, { 'a/one': stable, 'a/sum': wrong })
    t.equal(status, 1)
    const title = 'FAILED test/a/sum.test.ts: One and two > are two'
    t.equal(lines.filter((line) => line === title).length, 3, 'in both runs and at the end')
    t.match(last, /^1 passed, 1 failed, 0 skipped, 0 unstable, /)
  })

  t.test('fails if more than three files fail, and runs none again', async (t) => {
    const names = ['a', 'b', 'c', 'd']
    const { status, lines, last } = run(
      t,
      Object.fromEntries(names.map((name) => [`a/${name}`, unstable(name)])),
    )
    t.equal(status, 1)
    t.notOk(lines.some((line) => line.startsWith('Once more')))
    t.match(last, /^0 passed, 4 failed, 0 skipped, 0 unstable, /)
  })

  t.test('continues after a process breaks off, and fails', async (t) => {
    const files = {
      'a/broken': broken,
      ...Object.fromEntries(['a', 'b', 'c', 'd'].map((one) => [`a/${one}`, stable])),
    }
    const { status, lines, last } = run(t, files)
    t.equal(status, 1)
    const failure = lines.indexOf('FAILED test/a/broken.test.ts: its process ends well')
    t.equal(lines[failure + 1], '    ended with SIGKILL')
    t.match(last, /^4 passed, 1 failed, .* 5 files in /)
  })

  t.test('fails if an error is thrown after the tests of a file', async (t) => {
    const { status, lines, last } = run(t, { 'a/late': late })
    t.equal(status, 1, lines.join('\n'))
    t.match(last, /^1 passed, 1 failed, /)
  })

  t.test('names a process that breaks off at its end, also after a failed test', async (t) => {
    const leave = "if (isFirst) process.once('beforeExit', () => { throw new Error('too late') })"
    const { lines, last, errors } = run(t, { 'a/late': unstable('late') + leave })
    for (const word of ['FAILED', 'UNSTABLE']) {
      const failure = lines.indexOf(`${word} test/a/late.test.ts: its process ends well`)
      t.equal(lines[failure + 1], '    ended with SIGKILL', lines.join('\n'))
    }
    t.match(errors, /^Error: too late/m)
    t.match(last, /^1 passed, 0 failed, 0 skipped, 1 unstable, /)
  })

  t.test('runs only files that differ on a cluster, unless it has arguments', async (t) => {
    const files = { 'database/cluster': stable, 'formats/csv': stable }
    const environment = { TEST_CITUS_URL: 'postgres://localhost/postgres' }
    t.match(run(t, files, { environment }).last, / 1 files in /)
    t.match(run(t, files, { environment, args: ['--all'] }).last, / 2 files in /)
    t.match(run(t, files, { environment, args: ['csv'] }).last, / 1 files in /)
    const refused = run(t, files, { args: ['--all'] })
    t.equal(refused.status, 1)
    t.equal(refused.lines.join(), '')
    t.match(refused.errors, /^--all .* set TEST_CITUS_URL/)
    for (const name of onCluster) t.ok(existsSync(`test/${name}.test.ts`), name)
  })

  t.test('fails if no file has the name', async (t) => {
    t.equal(run(t, { 'a/one': stable }, { args: ['three'] }).status, 1)
  })
})

t.test('A run on PostgreSQL leaves out files that do not depend on the database', async (t) => {
  const isLeftOut = (name: string) => isSameEverywhere(`dist/test/${name}.test.js`)
  for (const name of ['formats/csv', 'layout/modules', 'pages/lead/drill'])
    t.ok(isLeftOut(name), name)
  for (const name of ['users/list', 'process/start', 'database/cluster', 'pages/whole-drill'])
    t.notOk(isLeftOut(name), name)
})
