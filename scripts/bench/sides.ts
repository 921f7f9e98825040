import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { resetPeak } from './process-meters.js'
import { programs, type SideName } from './programs.js'
import { tokenTerms } from './tokens.js'

/** One of the programs that are compared, in a process of its own. */
export interface Side {
  name: SideName
  url: string
  pid: number
  /** From its start until it listened. */
  startMs: number
  hasEnded(): boolean
  /** Asks it to end, or with SIGKILL does not ask. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** The same for all: so many connections to PostgreSQL as the service has by default. */
const poolSize = '10'
const longestStartMs = 120_000

/** The processes, each with the directory it works in. */
const running = new Map<ChildProcess, string>()
process.on('exit', () => {
  for (const [child, scratch] of running) {
    child.kill('SIGKILL')
    rmSync(scratch, { recursive: true, force: true })
  }
})

/** Starts one program; without a database it keeps its data in a directory. */
export async function startSide(
  name: SideName,
  place: { databaseUrl: string } | { dataDir: string },
  /** Another file to run instead, and what it is told besides. */
  other: { script?: string; environment?: Record<string, string> } = {},
): Promise<Side> {
  const { script, environment } = { ...programs[name], ...other }
  const scratch = mkdtempSync(join(tmpdir(), 'workplace-bench-'))
  const startedAt = performance.now()
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url))], {
    cwd: scratch,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_POOL_MAX: poolSize,
      JWT_SECRET: tokenTerms.secret,
      LOG_LEVEL: 'warn',
      RATE_LIMIT: 'off',
      ...('databaseUrl' in place
        ? { DATABASE_URL: place.databaseUrl }
        : { DATA_DIR: place.dataDir }),
      ...environment,
    },
  })
  running.set(child, scratch)
  const url = await listeningUrl(child, name).catch((error) => {
    child.kill('SIGKILL')
    throw error
  })
  const startMs = performance.now() - startedAt
  const pid = child.pid ?? 0
  resetPeak(pid)

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  async function stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (!hasEnded()) {
      const exited = once(child, 'exit')
      const patience = setTimeout(() => child.kill('SIGKILL'), 5_000)
      child.kill(signal)
      await exited
      clearTimeout(patience)
    }
    running.delete(child)
    rmSync(scratch, { recursive: true, force: true })
  }
  return { name, url, pid, startMs, hasEnded, stop }
}

/** Every side says on its standard output where it listens. */
function listeningUrl(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`${name} ${reason}`))
    const timer = setTimeout(fail, longestStartMs, 'did not start')
    let text = ''
    const read = (chunk: Buffer) => {
      text += chunk
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
      if (!url) return
      clearTimeout(timer)
      // What it logs afterwards is not kept.
      child.stdout?.off('data', read).resume()
      resolve(url)
    }
    child.stdout?.on('data', read)
    child.stdout?.on('end', () => {
      clearTimeout(timer)
      fail('ended before it listened')
    })
  })
}

/** Runs work with some of the sides started, and stops them whatever becomes of it. */
export async function withSides<T>(
  names: readonly SideName[],
  databaseUrl: string | ((name: SideName) => string),
  work: (sides: Side[]) => Promise<T>,
): Promise<T> {
  const sides: Side[] = []
  try {
    for (const name of names) {
      const url = typeof databaseUrl === 'string' ? databaseUrl : databaseUrl(name)
      sides.push(await startSide(name, { databaseUrl: url }))
    }
    return await work(sides)
  } finally {
    await Promise.all(sides.map((side) => side.stop()))
  }
}

/** Runs work with the service alone. */
export function withService<T>(databaseUrl: string, work: (service: Side) => Promise<T>) {
  return withSides(['service'], databaseUrl, async ([service]) => {
    if (!service) throw new Error('The service did not start')
    return work(service)
  })
}
