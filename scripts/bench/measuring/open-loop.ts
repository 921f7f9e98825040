import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { HttpRequest } from '../client.js'
import { settleMs } from './load.js'
import { percentile } from './statistics.js'

interface Plan {
  url: string
  request: HttpRequest
  /** Requests per second, whether or not earlier ones have been answered. */
  rate: number
  seconds: number
  /** A request without an answer is aborted after so long. */
  patienceMs: number
  /** Connections that are opened before the first request. */
  connections: number
}

export interface Reads {
  p50: number | null
  p99: number | null
  worst: number | null
  faults: string[]
}

/**
 * Reads at a steady rate from a process of its own. Each time counts from the moment at which the
 * request was due, so that a stalled service shows as slow. Calls `onOpen` before the first request.
 */
export async function readSteadily(plan: Plan, onOpen = () => {}): Promise<Reads> {
  const child = fork(fileURLToPath(import.meta.url), ['generate'], {
    env: { PATH: process.env.PATH },
  })
  child.send(plan)
  await once(child, 'message')
  onOpen()
  const [{ times, faults }] = (await once(child, 'message')) as [Generated]
  const [p50 = null, p99 = null, worst = null] = [0.5, 0.99, 1].map((s) => percentile(times, s))
  return { p50, p99, worst, faults }
}

interface Generated {
  times: number[]
  faults: string[]
}

async function generate(plan: Plan, onOpen: () => void): Promise<Generated> {
  const { rate, seconds, connections } = plan
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections })
  const generated: Generated = { times: [], faults: [] }
  await Promise.all(
    Array.from({ length: connections }, () => readOnce(plan, agent, performance.now(), generated)),
  )
  generated.times.length = 0
  onOpen()
  const startedAt = performance.now()
  const sent: Promise<void>[] = []
  const settling = Math.ceil((rate * settleMs(seconds)) / 1_000)
  while (sent.length < settling + rate * seconds) {
    const dueAt = startedAt + (sent.length * 1_000) / rate
    const early = dueAt - performance.now()
    if (early > 0) await sleep(early)
    sent.push(readOnce(plan, agent, dueAt, generated))
  }
  await Promise.all(sent)
  agent.destroy()
  return { ...generated, times: generated.times.slice(settling) }
}

async function readOnce(
  { url, request: { path, headers }, patienceMs }: Plan,
  agent: Agent,
  dueAt: number,
  { times, faults }: Generated,
): Promise<void> {
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const [response] = await once(get(url + path, { agent, headers, signal }), 'response')
    response.resume()
    await once(response, 'end')
    if (response.statusCode !== 200) faults.push(`status ${response.statusCode}`)
    times.push(performance.now() - dueAt)
  } catch (error) {
    faults.push(String(error))
    // A request that is given up took at least this long.
    const waited = performance.now() - dueAt
    if (waited >= patienceMs) times.push(waited)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'generate') {
  process.once('message', async (plan: Plan) => {
    process.send?.(await generate(plan, () => process.send?.('open')))
    process.disconnect()
  })
}
