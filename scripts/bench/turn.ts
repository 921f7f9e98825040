import type pg from 'pg'
import { applyLoad, type LoadRequest } from './load.js'
import type { Options } from './options.js'
import { familyCpuMs, postgresCpuMs, untilIdle, usedBetween } from './process-meters.js'
import type { Side } from './sides.js'
import { median } from './statistics.js'

/** What is asked, over and over. */
export interface Requests {
  requestsOf(connection: number): LoadRequest[]
  expectedStatus: number
}

/** What a side reached; processor time is that of one core for one request. */
export interface Figures {
  requestsPerSecond: number | null
  p50: number | null
  p99: number | null
  loadUs: number | null
  serviceUs: number | null
  /** Of each of the database servers. */
  serversUs: (number | null)[]
}

/** Loads one side; `servers` are connections to its database, one on each server that has part of it. */
export async function takeTurn(
  { requestsOf, expectedStatus }: Requests,
  { url, pid }: Side,
  servers: readonly pg.Client[],
  { connections, seconds }: Pick<Options, 'connections' | 'seconds'>,
): Promise<Figures> {
  const readings: Reading[] = []
  const read = async () => {
    readings.push(await readMeters(pid, servers))
  }
  const load = { url, requestsOf, connections, seconds, expectedStatus }
  const { requests, ...reached } = await applyLoad(load, { start: read, stop: read })
  await untilIdle(pid)
  const [before, after] = readings
  if (!before || !after) throw new Error('The meters were not read')
  const perRequest = (ms: number | null) =>
    ms === null || requests === 0 ? null : (ms * 1_000) / requests
  return {
    ...reached,
    loadUs: perRequest(after.load - before.load),
    serviceUs: perRequest(
      before.service === null || after.service === null ? null : after.service - before.service,
    ),
    serversUs: servers.map((_, index) =>
      perRequest(usedBetween(before.servers[index] ?? null, after.servers[index] ?? null)),
    ),
  }
}

interface Reading {
  load: number
  service: number | null
  servers: (Map<number, number> | null)[]
}

async function readMeters(pid: number, servers: readonly pg.Client[]): Promise<Reading> {
  const { user, system } = process.cpuUsage()
  return {
    load: (user + system) / 1_000,
    service: familyCpuMs(pid),
    servers: await Promise.all(servers.map(postgresCpuMs)),
  }
}

export function medianFigures(turns: readonly Figures[]): Figures {
  const middle = (of: (turn: Figures) => number | null) => median(turns.map(of))
  return {
    requestsPerSecond: middle((turn) => turn.requestsPerSecond),
    p50: middle((turn) => turn.p50),
    p99: middle((turn) => turn.p99),
    loadUs: middle((turn) => turn.loadUs),
    serviceUs: middle((turn) => turn.serviceUs),
    serversUs: (turns[0]?.serversUs ?? []).map((_, index) =>
      middle((turn) => turn.serversUs[index] ?? null),
    ),
  }
}
