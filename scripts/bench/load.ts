import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { percentile } from './statistics.js'

export type LoadRequest = Pick<autocannon.Request, 'setupRequest'> & {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers: Record<string, string>
  body?: string
}

export interface Load {
  url: string
  /** What one of the connections sends, over and over. */
  requestsOf(connection: number): LoadRequest[]
  connections: number
  seconds: number
  /** Any other answer is a failed measurement, but for those that are counted as refused. */
  expectedStatus: number
  refusedStatus?: number
}

export interface LoadResult {
  requestsPerSecond: number
  p50: number | null
  p99: number | null
  requests: number
  refused: number
}

/** Called when the measured part of a load begins and ends. */
export interface Meter {
  start(): void | Promise<void>
  stop(): void | Promise<void>
}

const noMeter: Meter = { start: () => {}, stop: () => {} }

const patienceSeconds = 60

/** What a load begins with does not count: connections open, statements are prepared. */
export const settleMs = (seconds: number) => Math.min(1_000, seconds * 250)

/**
 * Sends without pause on every connection. Times are taken from autocannon's events because its own
 * histogram knows whole milliseconds only.
 */
export async function applyLoad(load: Load, meter: Meter = noMeter): Promise<LoadResult> {
  const settle = settleMs(load.seconds)
  const times: number[] = []
  const unexpected = new Map<number, number>()
  const answered = new Set<autocannon.Client>()
  let refused = 0
  let isMeasuring = false
  let connection = 0
  let instance: autocannon.Instance | undefined
  const finished = new Promise<autocannon.Result>((resolve, reject) => {
    instance = autocannon(
      {
        url: load.url,
        connections: load.connections,
        duration: settle / 1_000 + patienceSeconds + load.seconds,
        timeout: 30,
        sampleInt: 100,
        setupClient: (client) => client.setRequests(load.requestsOf(connection++)),
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    )
  })
  instance?.on('response', (client, status, _bytes, milliseconds) => {
    answered.add(client)
    if (status === load.refusedStatus) refused += isMeasuring ? 1 : 0
    else if (status !== load.expectedStatus) {
      unexpected.set(status, (unexpected.get(status) ?? 0) + 1)
    } else if (isMeasuring) times.push(milliseconds)
  })

  await sleep(settle)
  // Node takes in one connection each time around its event loop: of many some wait for seconds.
  const isIn = () => answered.size === load.connections || unexpected.size > 0
  for (let waited = 0; !isIn() && waited < patienceSeconds * 1_000; waited += 50) await sleep(50)
  await meter.start()
  const startedAt = performance.now()
  isMeasuring = true
  await sleep(load.seconds * 1_000)
  isMeasuring = false
  const seconds = (performance.now() - startedAt) / 1_000
  await meter.stop()
  instance?.stop()
  const { errors, timeouts } = await finished
  if (!isIn() || unexpected.size > 0 || errors > 0 || timeouts > 0) {
    const statuses = [...unexpected].map(([status, count]) => `${count} times ${status}`)
    const faults = [...statuses, `${errors} errors`, `${timeouts} timeouts`].join(', ')
    const share = `${answered.size} of ${load.connections} connections`
    throw new Error(`${load.url} answered ${share} of a load, with ${faults}`)
  }
  return {
    requestsPerSecond: times.length / seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    requests: times.length,
    refused,
  }
}
