import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type LoadRequest, settleMs } from './load.js'
import { percentile } from './statistics.js'

interface Plan {
  url: string
  request: LoadRequest
  /** Requests per second, whether or not the ones before have been answered. */
  rate: number
  seconds: number
  /** How long an answer is waited for; without it for ever. */
  patienceMs?: number
  /** How many connections are opened before it begins, and used; without it as many as it takes. */
  connections?: number
}

export interface Heard {
  times: number[]
  faults: string[]
}

export interface OpenLoopResult {
  p50: number | null
  p99: number | null
  requests: number
}

/**
 * Sends at a steady rate from a process of its own, and counts each answer's time from the moment at
 * which its request was due: who waits for a stalled service shows as slow, not as absent.
 */
export async function applyOpenLoop(plan: Plan): Promise<OpenLoopResult> {
  const { times, faults } = await readSteadily(plan)
  if (faults.length > 0) {
    throw new Error(`The steady reads met ${faults.length} faults, the first: ${faults[0]}`)
  }
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), requests: times.length }
}

/** The same for a measurement in which faults are results; calls when its connections are open. */
export async function readSteadily(plan: Plan, onOpen = () => {}): Promise<Heard> {
  const child = fork(fileURLToPath(import.meta.url), ['generate'], {
    env: { PATH: process.env.PATH },
  })
  child.send(plan)
  await once(child, 'message')
  onOpen()
  const [heard] = (await once(child, 'message')) as [Heard]
  return heard
}

/** Enough that no request waits for a connection. */
const mostConnections = 256

async function generate(
  { url, request, rate, seconds, patienceMs, connections }: Plan,
  onOpen: () => void,
): Promise<Heard> {
  const maxSockets = connections ?? mostConnections
  const agent = new Agent({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets })
  const { path, headers } = request
  const heard: Heard = { times: [], faults: [] }

  async function ask(dueAt: number): Promise<void> {
    try {
      const signal = patienceMs === undefined ? undefined : AbortSignal.timeout(patienceMs)
      const sent = get(url + path, { agent, headers, ...(signal && { signal }) })
      const [response] = await once(sent, 'response')
      response.resume()
      await once(response, 'end')
      if (response.statusCode !== 200) heard.faults.push(`status ${response.statusCode}`)
      heard.times.push(performance.now() - dueAt)
    } catch (error) {
      heard.faults.push(String(error))
      // Who gave up has waited at least so long.
      if (performance.now() - dueAt >= (patienceMs ?? Infinity)) {
        heard.times.push(performance.now() - dueAt)
      }
    }
  }

  await Promise.all(Array.from({ length: connections ?? 0 }, () => ask(performance.now())))
  heard.times.length = 0
  onOpen()
  const startedAt = performance.now()
  const asked: Promise<void>[] = []
  const settling = Math.ceil((rate * settleMs(seconds)) / 1_000)
  const total = settling + rate * seconds
  while (asked.length < total) {
    const dueAt = startedAt + (asked.length * 1_000) / rate
    const early = dueAt - performance.now()
    if (early > 0) await sleep(early)
    asked.push(ask(dueAt))
  }
  await Promise.all(asked)
  agent.destroy()
  // The first to be answered are, but for a stalled start, the first that were sent.
  return { ...heard, times: heard.times.slice(settling) }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'generate') {
  process.once('message', async (plan: Plan) => {
    process.send?.(await generate(plan, () => process.send?.('open')))
    process.disconnect()
  })
}
