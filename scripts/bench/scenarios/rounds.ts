import type pg from 'pg'
import type { HttpRequest } from '../client.js'
import { applyLoad } from '../measuring/load.js'
import { familyCpuMs, postgresCpuMs, untilIdle, usedBetween } from '../measuring/process-meters.js'
import { median } from '../measuring/statistics.js'
import type { Options } from '../options.js'
import type { Side } from '../processes.js'

/** One operation that all sides do under the same load. */
export interface Task {
  request: HttpRequest | ((number: number) => HttpRequest)
  expectedStatus: number
}

/** What a side reached, with the microseconds of a core that one request takes. */
export interface Figures {
  requestsPerSecond: number | null
  p50: number | null
  p99: number | null
  serviceUs: number | null
  postgresUs: number | null
}

/**
 * Loads the sides in turns: A B C, B C A, C A B. So a disturbance of the machine hits all of them,
 * and none is always the first.
 */
export async function playRounds(
  options: Options,
  task: Task,
  sides: readonly Side[],
  client: pg.Client,
): Promise<Map<Side, Figures>> {
  const turns = new Map<Side, Figures[]>(sides.map((side) => [side, []]))
  const play = (side: Side, seconds: number) =>
    takeTurn(task, side, client, { ...options, seconds })
  for (const side of sides) await play(side, Math.max(1, options.seconds / 2))
  for (let round = 0; round < options.rounds; round++) {
    const first = round % sides.length
    for (const side of [...sides.slice(first), ...sides.slice(0, first)]) {
      turns.get(side)?.push(await play(side, options.seconds))
    }
  }
  return new Map([...turns].map(([side, taken]) => [side, medianFigures(taken)]))
}

async function takeTurn(
  { request, expectedStatus }: Task,
  { url, pid }: Side,
  client: pg.Client,
  { connections, seconds }: Options,
): Promise<Figures> {
  const readings: Reading[] = []
  const load = { url, request, connections, seconds, expectedStatus }
  const { requests, ...reached } = await applyLoad(load, async () => {
    readings.push(await readMeters(pid, client))
  })
  await untilIdle(pid)
  const [before, after] = readings
  if (!before || !after) throw new Error('The meters were not read')
  const perRequest = (ms: number | null) =>
    ms === null || requests === 0 ? null : (ms * 1_000) / requests
  const service =
    before.service === null || after.service === null ? null : after.service - before.service
  return {
    ...reached,
    serviceUs: perRequest(service),
    postgresUs: perRequest(usedBetween(before.postgres, after.postgres)),
  }
}

interface Reading {
  service: number | null
  postgres: Map<number, number> | null
}

async function readMeters(pid: number, client: pg.Client): Promise<Reading> {
  return { service: familyCpuMs(pid), postgres: await postgresCpuMs(client) }
}

function medianFigures(turns: readonly Figures[]): Figures {
  const middle = (name: keyof Figures) => median(turns.map((turn) => turn[name]))
  return {
    requestsPerSecond: middle('requestsPerSecond'),
    p50: middle('p50'),
    p99: middle('p99'),
    serviceUs: middle('serviceUs'),
    postgresUs: middle('postgresUs'),
  }
}
