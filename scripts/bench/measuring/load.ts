import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import type { HttpRequest } from '../client.js'
import { percentile } from './statistics.js'

export interface Load {
  url: string
  /** One request for all, or the next one for a number that never repeats. */
  request: HttpRequest | ((number: number) => HttpRequest)
  connections: number
  seconds: number
  /** Any other status makes the measurement fail. */
  expectedStatus: number
}

export interface LoadResult {
  requestsPerSecond: number
  p50: number | null
  p99: number | null
  requests: number
}

/** Called when the measured part of a load begins and ends. */
type OnEdge = () => Promise<void>

const patienceSeconds = 60

/** The beginning of a load is not measured: connections open, statements are prepared. */
export const settleMs = (seconds: number) => Math.min(1_000, seconds * 250)

/**
 * Sends without pause on every connection. The times come from the events of autocannon because its
 * histogram has whole milliseconds only.
 */
export async function applyLoad(load: Load, onEdge: OnEdge = async () => {}): Promise<LoadResult> {
  const settle = settleMs(load.seconds)
  const times: number[] = []
  const unexpected = new Map<number, number>()
  const answered = new Set<autocannon.Client>()
  let isMeasuring = false
  const options = {
    url: load.url,
    connections: load.connections,
    duration: settle / 1_000 + patienceSeconds + load.seconds,
    timeout: 30,
    sampleInt: 100,
    requests: [repeated(load.request)],
  }
  let instance: autocannon.Instance | undefined
  const finished = new Promise<autocannon.Result>((resolve, reject) => {
    instance = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)))
  })
  instance?.on('response', (client, status, _bytes, milliseconds) => {
    answered.add(client)
    if (status !== load.expectedStatus) {
      unexpected.set(status, (unexpected.get(status) ?? 0) + 1)
    } else if (isMeasuring) times.push(milliseconds)
  })

  await sleep(settle)
  // Node accepts one connection in each turn of its event loop, so that some wait for seconds.
  const isReady = () => answered.size === load.connections || unexpected.size > 0
  for (let waited = 0; !isReady() && waited < patienceSeconds * 1_000; waited += 50) await sleep(50)
  await onEdge()
  const startedAt = performance.now()
  isMeasuring = true
  await sleep(load.seconds * 1_000)
  isMeasuring = false
  const seconds = (performance.now() - startedAt) / 1_000
  await onEdge()
  instance?.stop()
  const { errors, timeouts } = await finished
  if (!isReady() || unexpected.size > 0 || errors > 0 || timeouts > 0) {
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
  }
}

function repeated(request: Load['request']): autocannon.Request {
  if (typeof request !== 'function') return request
  let number = 0
  return { ...request(0), setupRequest: (sent) => ({ ...sent, ...request(++number) }) }
}
