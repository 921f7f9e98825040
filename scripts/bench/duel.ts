import { send } from './client.js'
import { applyLoad, type LoadRequest, type LoadResult } from './load.js'
import { cpuMs, postgresCpuMs, residentBytes, untilIdle, usedBetween } from './process-meters.js'
import type { Goal, Outcome } from './report.js'
import { type Comparison, compareAnswers, type Trial } from './same-answers.js'
import type { Setting } from './setting.js'
import { type Side, type SideName, withSides } from './sides.js'
import { median, ratio } from './statistics.js'

/** One operation that all sides do, under the same load in turn. */
export interface Duel {
  title: string
  sides?: readonly SideName[]
  requestsOf(connection: number): LoadRequest[]
  expectedStatus: number
  /** Asks a side once, for the comparison; by default for what the first connection sends first. */
  ask?(side: Side): Promise<Trial>
  /** What the machine could do at most, measured in every round. */
  ceiling?: { what: string; measure(seconds: number): Promise<number> }
  /** At least this share of the better bare side, of the hand-written one, and of the ceiling. */
  goals: { limit?: number; handwritten: number; ceiling?: number }
}

interface Turn extends LoadResult {
  cpuMs: number | null
  postgresMs: number | null
}

const everySide = ['service', 'bare agg', 'bare raw', 'handwritten'] as const

/**
 * A B C, B C A, C A B …, as many rounds as wanted: what disturbs the machine for a while disturbs
 * all, and nobody is always the first. The first of two equal programs had a tenth less.
 */
export async function runDuel(setting: Setting, duel: Duel): Promise<Outcome> {
  const { options, database } = setting
  return withSides(duel.sides ?? everySide, database.url, async (sides) => {
    const comparison = await compareAnswers(sides, duel.ask ?? ((side) => askOnce(side, duel)))
    const turns = new Map<Side, Turn[]>(sides.map((side) => [side, []]))
    for (const side of sides) await takeTurn(setting, duel, side, Math.max(1, options.seconds / 2))
    const ceilings: number[] = []
    for (let round = 0; round < options.rounds; round++) {
      const first = round % sides.length
      for (const side of [...sides.slice(first), ...sides.slice(0, first)]) {
        turns.get(side)?.push(await takeTurn(setting, duel, side, options.seconds))
      }
      if (duel.ceiling) ceilings.push(await duel.ceiling.measure(options.seconds))
    }
    return describe(duel, turns, comparison, median(ceilings))
  })
}

async function askOnce({ url }: Side, { requestsOf, expectedStatus }: Duel): Promise<Trial> {
  const [request] = requestsOf(0)
  if (!request) throw new Error('There is no request to compare')
  const { bytes, body } = await send(url, request, expectedStatus)
  return { bytes, comparable: body }
}

async function takeTurn(setting: Setting, duel: Duel, side: Side, seconds: number): Promise<Turn> {
  const { options, database } = setting
  const used = { cpuMs: null as number | null, postgresMs: null as number | null }
  let before: { cpu: number | null; postgres: Map<number, number> | null } | undefined
  const read = async () => ({
    cpu: cpuMs(side.pid),
    postgres: await postgresCpuMs(database.client),
  })
  const meter = {
    start: async () => {
      before = await read()
    },
    stop: async () => {
      const after = await read()
      if (!before) return
      used.postgresMs = usedBetween(before.postgres, after.postgres)
      if (before.cpu !== null && after.cpu !== null) used.cpuMs = after.cpu - before.cpu
    },
  }
  const { connections } = options
  const { requestsOf, expectedStatus } = duel
  const load = { url: side.url, requestsOf, connections, seconds, expectedStatus }
  const result = await applyLoad(load, meter)
  await untilIdle(side.pid)
  return { ...result, ...used }
}

function describe(
  duel: Duel,
  turns: Map<Side, Turn[]>,
  { rows, bytes }: Comparison,
  ceiling: number | null,
): Outcome {
  const rates = new Map<SideName, number | null>()
  const table = [...turns].map(([side, of]) => {
    const rate = median(of.map(({ requestsPerSecond }) => requestsPerSecond))
    rates.set(side.name, rate)
    const { peak } = residentBytes(side.pid)
    return {
      side: side.name,
      'requests/s': rate,
      'p50 ms': median(of.map(({ p50 }) => p50)),
      'p99 ms': median(of.map(({ p99 }) => p99)),
      'CPU µs/request': median(of.map((turn) => perRequest(turn.cpuMs, turn))),
      'PostgreSQL µs/request': median(of.map((turn) => perRequest(turn.postgresMs, turn))),
      'peak MB': peak && peak / 1e6,
      bytes: bytes.get(side) ?? null,
    }
  })
  const notes = [
    `All sides did the same when they were asked once${rows === null ? '' : ` (${rows} rows)`}.`,
    ...(duel.ceiling && ceiling ? [`${duel.ceiling.what}: ${ceiling.toFixed(1)}/s`] : []),
  ]
  return { title: duel.title, rows: table, goals: goalsOf(duel, rates, ceiling), notes }
}

const perRequest = (ms: number | null, { requests }: Turn) =>
  ms === null || requests === 0 ? null : (ms * 1_000) / requests

function goalsOf(
  { goals, ceiling: kind }: Duel,
  rates: Map<SideName, number | null>,
  ceiling: number | null,
): Goal[] {
  const service = rates.get('service') ?? null
  const bare = (['bare agg', 'bare raw'] as const).flatMap((name) => rates.get(name) ?? [])
  const limit = bare.length > 0 ? Math.max(...bare) : null
  const handwritten = rates.get('handwritten') ?? null
  return [
    { what: '÷ limit (the better bare side)', whole: limit, atLeast: goals.limit },
    { what: '÷ handwritten', whole: handwritten, atLeast: goals.handwritten },
    { what: `÷ ${kind?.what}`, whole: ceiling, atLeast: goals.ceiling },
  ].flatMap(({ what, whole, atLeast }) =>
    atLeast === undefined ? [] : [{ what, value: ratio(service, whole), atLeast }],
  )
}
