import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { followDocument } from './document.mjs'

const run = promisify(execFile)
const here = import.meta.dirname
const generated = join(here, 'generated')
const document = join(generated, 'openapi.json')

const generators = {
  'openapi-typescript': [document, '--output', 'generated/openapi-typescript.ts'],
  'openapi-ts': ['--file', 'hey-api.config.mjs'],
  orval: ['--config', 'orval.config.cjs'],
  kubb: ['generate', '--config', 'kubb.config.mjs'],
  'swagger-typescript-api': [
    ...['generate', '--path', document, '--output', 'generated'],
    ...['--name', 'swagger-typescript-api.ts'],
  ],
}

/** The built service on a free port, with a database that is deleted afterwards. */
async function startService() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise((closed) => probe.close(closed))

  const data = await mkdtemp(join(tmpdir(), 'codegen-'))
  const env = { ...process.env, HOST: '127.0.0.1', PORT: port, DATA_DIR: data, DATABASE_URL: '' }
  const service = spawn(process.execPath, [join(here, '../../dist/service/server.js')], {
    env: { ...env, NODE_ENV: 'development', RATE_LIMIT: 'off' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(service, 'exit')
  const stop = async () => {
    service.kill()
    await ended
    await rm(data, { recursive: true })
  }
  return { url: `http://127.0.0.1:${port}`, service, stop }
}

async function untilReady({ url, service }) {
  for (let i = 0; i < 300 && service.exitCode === null; i++) {
    const answer = await fetch(`${url}/ready`).catch(() => undefined)
    if (answer?.ok) return
    await sleep(200)
  }
  throw new Error('The service did not start')
}

/** Runs a program of this package, and shows its output when it fails. */
async function runTool(name, args, env = process.env) {
  try {
    await run(join(here, 'node_modules/.bin', name), args, { cwd: here, env })
    console.log(`${name}: done`)
  } catch (error) {
    throw new Error(`${name} failed\n${error.stdout}${error.stderr}`)
  }
}

async function generate(url) {
  await rm(generated, { recursive: true, force: true })
  await mkdir(generated)
  const response = await fetch(`${url}/openapi.json`)
  await writeFile(document, await response.text())
  const env = { ...process.env, SERVICE_URL: url, DO_NOT_TRACK: '1' }
  for (const [name, args] of Object.entries(generators)) await runTool(name, args, env)

  // This generator turns type checks of its output off. They are what is tested here.
  const output = join(generated, 'swagger-typescript-api.ts')
  const text = await readFile(output, 'utf8')
  await writeFile(output, text.replace(/^\/\/ @ts-.*$/m, ''))
}

const started = await startService()
try {
  await untilReady(started)
  await generate(started.url)
  await runTool('tsc', [])
  const { stdout } = await run(process.execPath, [join(here, 'dist/call.js'), started.url])
  process.stdout.write(stdout)
  await followDocument(started.url)
  console.log('docs/frontend.md: done')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await started.stop()
}
