import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { Test } from 'tap'
import { textOf } from '../helpers/documents.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'
import { openWorkplace } from '../helpers/workplace.js'

const run = promisify(execFile)
const packScript = fileURLToPath(new URL('../../scripts/client.js', import.meta.url))

/** Returns the TypeScript programs in a document, in their order. */
const programsOf = (document: string) =>
  [...textOf(document).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, program = '']) => program)

const [drill = '', posting = '', page = ''] = programsOf('src/client/README.md')
const [desk = ''] = programsOf('docs/frontend.md')

/** Code that must compile, with marked lines that must not. */
const types = `
import type { Client, SessionEvent } from 'workplace-simulation-client'

export async function check({ api }: Client, { event, data }: SessionEvent) {
  // @ts-expect-error: the contract has no such path.
  await api.GET('/api/v1/nothing')
  // @ts-expect-error: the body is missing.
  await api.POST('/api/v1/simulation/sessions')
  // @ts-expect-error: the name is missing.
  await api.POST('/api/v1/simulation/sessions', { body: { scenario_name: 'hr_workforce' } })
  // @ts-expect-error: the field is misspelt.
  await api.POST('/api/v1/simulation/sessions', { body: { name: 'Tuesday', scenario_name: 'hr_workforce', speeed: 2 } })
  // @ts-expect-error: the parameter is misspelt.
  await api.GET('/api/v1/simulation/sessions', { params: { query: { participants: 'me' } } })
  const { data: csv } = await api.GET('/api/v1/simulation/sessions/{session_id}/export', {
    params: { path: { session_id: 'x' } },
    parseAs: 'text',
  })
  // Fields with a default are left out.
  const body = { name: 'Tuesday', scenario_name: 'hr_workforce' }
  const session = await api.POST('/api/v1/simulation/sessions', { body })
  const all: string[] = [session.data.name, csv]
  // @ts-expect-error: only some events have a text.
  const text = data.content
  // @ts-expect-error: there is no such event.
  if (event === 'nothing') return
  if (event === 'message') return [all, text, data.content, data.seq]
  if (event === 'end') return data.reason
  return event === 'participant' ? data.user_id : null
}
`

const compilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ target: 'ES2023', lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [] },
  ...{ module: 'NodeNext', skipLibCheck: false },
}

/** Packs the client and installs it into an empty project, without a registry. */
async function install(t: Test) {
  const project = t.testdir({
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({ compilerOptions }),
  })
  const { stdout } = await run(process.execPath, [packScript, join(project, 'packed')])
  const packages = ['openapi-fetch', 'openapi-typescript-helpers'].map((name) =>
    resolve('node_modules', name),
  )
  const options = ['--offline', '--install-links', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', ['install', ...options, stdout.trim(), ...packages], { cwd: project })
  const compiler = resolve('node_modules/typescript/bin/tsc')
  const compile = (programs: Record<string, string>) => {
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(project, name), text)
    return run(process.execPath, [compiler, '--pretty', 'false'], { cwd: project })
  }
  return { project, compile }
}

t.test('The packed client', async (t) => {
  const { project, compile } = await install(t)
  const installed = join(project, 'node_modules/workplace-simulation-client')

  t.test('contains its README, and has the version of the service', async (t) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    t.match(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')), { version })
    t.ok(existsSync(join(installed, 'README.md')))
  })

  t.test('adds at most 5 kB to a page, compressed', async (t) => {
    const entryPoints = [join(installed, 'client.js')]
    const options = { bundle: true, minify: true, format: 'esm', write: false } as const
    const { outputFiles } = await build({ ...options, entryPoints })
    t.ok(gzipSync(outputFiles[0]?.contents ?? '').length <= 5_000)
  })

  t.test('compiles in strict mode, and plays the drill of its README', async (t) => {
    const service = await startService(t)
    const { call, url } = service
    const { admin, session } = await openWorkplace(service)
    const { token, user_id, email, password } = admin
    const session_id = await session({ participants: [{ user_id }] }, 'startSession')
    const own = drill
      .replace('http://127.0.0.1:3000', url)
      .replace('ben@acme.example', email)
      .replace('correct horse battery', password)
    const others = { 'posting.ts': posting, 'page.ts': page, 'desk.ts': desk, 'types.ts': types }
    await compile({ ...others, 'drill.ts': own })

    const playing = run(process.execPath, ['drill.js'], { cwd: project })
    const params = { session_id }
    const answers = async () => {
      const { body } = await call('listSessionMessages', { token, params })
      return body.filter(({ sender_id }: { sender_id: string }) => sender_id === user_id)
    }
    await until(async () => (await answers()).length > 0)
    await call('endSession', { token, params })
    const { stdout } = await playing
    t.match(
      stdout,
      /^1 \S.*\n(.*\n)*\d+ I am looking at the balances now\.\n(.*\n)*session_ended\n$/,
    )
    t.match(await answers(), [{ seq: Number, thread_id: /./ }], 'the answer was posted once')
  })
})
