import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jwtSecret } from './accounts.js'
import { resetPeak } from './measuring/process-meters.js'
import { checkout } from './paths.js'

/** A server that is measured, in a process of its own. */
export interface Side {
  name: string
  url: string
  pid: number
  hasEnded(): boolean
  /** Ends the process, with SIGKILL as a crash would. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** Where a service keeps its data. */
export type Place = { databaseUrl: string } | { dataDir: string }

const longestStartMs = 120_000
const longestStopMs = 5_000

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts the service that was built in this checkout or in another one. */
export const startService = (
  place: Place,
  { from, ...given }: { from?: string | null; name?: string; environment?: NodeJS.ProcessEnv } = {},
) => start({ name: 'service', ...given, script: serverIn(from ?? checkout) }, place)

/** Returns the program that `npm start` runs: not every commit has it in the same place. */
function serverIn(folder: string): string {
  const { scripts } = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'))
  const [, script = ''] = /node (\S+)/.exec(scripts.start) ?? []
  return resolve(folder, script)
}

export const startPeer = (place: Place) =>
  start({ name: 'bare', script: fileURLToPath(new URL('./peers/bare.js', import.meta.url)) }, place)

/** What a scenario stores and sends in seconds is more than an honest organization does in a day. */
const noLimits = JSON.stringify({
  events_per_day: 1e9,
  session_bytes: 1e12,
  participant_bytes: 1e12,
  participant_messages_per_minute: 1e9,
  participant_events_per_day: 1e9,
})

interface Program {
  name: string
  script: string
  environment?: NodeJS.ProcessEnv
}

async function start({ name, script, environment }: Program, place: Place): Promise<Side> {
  const child = spawn(process.execPath, [script], {
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      JWT_SECRET: jwtSecret,
      LOG_LEVEL: 'warn',
      RATE_LIMIT: 'off',
      DEFAULT_LIMITS: noLimits,
      ...('databaseUrl' in place
        ? { DATABASE_URL: place.databaseUrl }
        : { DATA_DIR: place.dataDir }),
      ...environment,
    },
  })
  running.add(child)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop: Side['stop'] = async (signal = 'SIGTERM') => {
    if (!hasEnded()) {
      const exited = once(child, 'exit')
      const timer = setTimeout(() => child.kill('SIGKILL'), longestStopMs)
      child.kill(signal)
      await exited
      clearTimeout(timer)
    }
    running.delete(child)
  }
  try {
    const url = await listeningUrl(child, name)
    const pid = child.pid ?? 0
    resetPeak(pid)
    return { name, url, pid, hasEnded, stop }
  } catch (error) {
    await stop('SIGKILL')
    throw error
  }
}

/** Waits for the address that every side prints when it listens. */
async function listeningUrl({ stdout }: ChildProcess, name: string): Promise<string> {
  const timer = setTimeout(() => stdout?.destroy(), longestStartMs)
  let text = ''
  try {
    for await (const chunk of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
      text += chunk
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
      if (url) return url
    }
    throw new Error(`${name} ended before it listened`)
  } finally {
    clearTimeout(timer)
    // Output that nothing reads would block the process in the end.
    stdout?.resume()
  }
}

/** Runs work with some sides started, and stops them in any case. */
export async function withSides<T>(
  starts: (() => Promise<Side>)[],
  work: (sides: Side[]) => Promise<T>,
): Promise<T> {
  const sides: Side[] = []
  try {
    for (const startSide of starts) sides.push(await startSide())
    return await work(sides)
  } finally {
    await Promise.all(sides.map((side) => side.stop()))
  }
}

export async function withService<T>(place: Place, work: (service: Side) => Promise<T>) {
  const service = await startService(place)
  return work(service).finally(() => service.stop())
}

/** Runs work with a new directory for the embedded database, and removes it. */
export async function withDataDir<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'workplace-bench-data-'))
  return work(dataDir).finally(() => rmSync(dataDir, { recursive: true, force: true }))
}
