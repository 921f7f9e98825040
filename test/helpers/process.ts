import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { createDatabase } from './database.js'
import { copyDatabase } from './embedded-template.js'
import { node } from './node.js'
import type { Answer } from './service.js'

const server = fileURLToPath(import.meta.resolve('#dist/service/server.js'))
const running = new Set<ReturnType<typeof start>>()

export function stopEverything(): void {
  for (const service of running) service.process.kill('SIGKILL')
}

export const password = 'correct horse battery staple'
/** The output of every process. */
export const outputs: string[] = []
/** Texts that no output may contain. */
export const secrets = [password, 'a wrong password']
export const person = (email: string) => ({
  email,
  password,
  organization_name: 'Acme',
  first_name: 'Ada',
  last_name: 'Okafor',
})

type Place = { DATA_DIR: string; DATABASE_URL?: string }

/** A data directory that does not exist yet and, when the tests use a server, a new database. */
export async function emptyPlace(t: Test, { isMigrated = false } = {}): Promise<Place> {
  const DATA_DIR = join(t.testdir(), 'deep', 'data')
  const { TEST_DATABASE_URL, TEST_CITUS_URL } = process.env
  if (!TEST_DATABASE_URL && !TEST_CITUS_URL) return { DATA_DIR }
  const { db, databaseUrl, drop } = await createDatabase({ isMigrated })
  await db.destroy()
  t.teardown(drop)
  return { DATA_DIR, DATABASE_URL: databaseUrl ?? '' }
}

/** A place with an existing database, because creating one takes a while. */
export async function placeWithDatabase(
  t: Test,
  { isMigrated }: { isMigrated: boolean },
): Promise<Place> {
  const place = await emptyPlace(t, { isMigrated })
  if (!place.DATABASE_URL) await copyDatabase(place.DATA_DIR, { isMigrated })
  return place
}

export const command = [...node, server]

/** Starts the service in a separate process, with only these environment variables. */
export function start(environment: Record<string, string>, [program = '', ...args] = command) {
  const { PATH = '' } = process.env
  const env = { PATH, PORT: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'trace', ...environment }
  const child = spawn(program, args, { env })
  let output = ''
  let onOutput = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      onOutput()
    })
  }
  const exit = once(child, 'close').then(([code, signal]) => {
    running.delete(service)
    outputs.push(output)
    onOutput()
    return { code, signal, output }
  })

  /** Waits until the output matches. Returns the first group. Throws if the process ends before. */
  async function says(pattern: RegExp): Promise<string> {
    for (;;) {
      const [, part] = pattern.exec(output) ?? []
      if (part !== undefined) return part
      if (!running.has(service)) throw new Error(`The process ended without ${pattern}:\n${output}`)
      await new Promise<void>((resolve) => {
        onOutput = resolve
      })
    }
  }
  const address = () => says(/"Workplace simulation service \S+: (http:[^"]+)"/)
  const lines = () => output.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  const service = { process: child, exit, says, address, output: () => output, lines }
  running.add(service)
  return service
}

export async function send(
  base: string,
  path: string,
  body?: unknown,
  token = '',
  headers: Record<string, string> = {},
): Promise<Pick<Answer, 'status' | 'body'>> {
  const response = await fetch(`${base}/api/v1${path}`, {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

/** Begins a registration without its body. The returned function sends the body. */
export async function beginRegistration(base: string, email: string) {
  const request = http.request(`${base}/api/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', expect: '100-continue' },
  })
  const answered = once(request, 'response')
  request.flushHeaders()
  await once(request, 'continue')
  return async () => {
    request.end(JSON.stringify(person(email)))
    const [response] = (await answered) as [http.IncomingMessage]
    response.resume()
    return response.statusCode
  }
}

/** Returns the answer of `/ready`. */
export async function readiness(base: string) {
  const response = await fetch(`${base}/ready`, { headers: { connection: 'close' } })
  const { status, headers } = response
  return { status, retryAfter: headers.get('retry-after'), body: await response.json() }
}

/** Waits until new connections are refused. Returns false after 1,000 attempts. */
export async function refusesConnections(base: string): Promise<boolean> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    // A connection may go to a process that is about to end and will not answer.
    const init = { headers: { connection: 'close' }, signal: AbortSignal.timeout(2_000) }
    const isOpen = await fetch(`${base}/health`, init).then(
      () => true,
      (error: Error) => error.name === 'TimeoutError',
    )
    if (!isOpen) return true
  }
  return false
}
