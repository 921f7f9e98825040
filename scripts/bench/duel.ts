import { residentBytes } from './process-meters.js'
import type { SideName } from './programs.js'
import type { Goal, Outcome } from './report.js'
import { playRounds, type Rounds, type Task } from './rounds.js'
import type { Setting } from './setting.js'
import { withSides } from './sides.js'
import { median, ratio } from './statistics.js'

/** The service against its peers. */
export interface Duel extends Task {
  sides?: readonly SideName[]
  /** What the machine could do at most, measured in every round. */
  ceiling?: { what: string; measure(seconds: number): Promise<number> }
  /**
   * At least this share of the better bare side that writes JSON, of the one that has it stored, of
   * the hand-written one, and of the ceiling.
   */
  goals: { limit?: number; text?: number; handwritten?: number; ceiling?: number }
}

export const everySide = ['service', 'bare agg', 'bare raw', 'handwritten'] as const

export async function runDuel({ options, database }: Setting, duel: Duel): Promise<Outcome> {
  return withSides(duel.sides ?? everySide, database.url, async (sides) => {
    const ceilings: number[] = []
    const rounds = await playRounds(options, duel, sides, {
      serversOf: () => [database.client],
      afterRound: async () => {
        if (duel.ceiling) ceilings.push(await duel.ceiling.measure(options.seconds))
      },
    })
    return describe(duel, rounds, median(ceilings))
  })
}

function describe(
  duel: Duel,
  { comparison: { rows, bytes }, figures }: Rounds,
  ceiling: number | null,
): Outcome {
  const rates = new Map<SideName, number | null>()
  const table = [...figures].map(([side, { requestsPerSecond, ...reached }]) => {
    rates.set(side.name, requestsPerSecond)
    const { peak } = residentBytes(side.pid)
    return {
      side: side.name,
      'requests/s': requestsPerSecond,
      'p50 ms': reached.p50,
      'p99 ms': reached.p99,
      'CPU µs/request': reached.serviceUs,
      'PostgreSQL µs/request': reached.serversUs[0] ?? null,
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

function goalsOf(
  { goals, ceiling: kind }: Duel,
  rates: Map<SideName, number | null>,
  ceiling: number | null,
): Goal[] {
  const service = rates.get('service') ?? null
  const bare = (['bare agg', 'bare raw'] as const).flatMap((name) => rates.get(name) ?? [])
  const limit = bare.length > 0 ? Math.max(...bare) : null
  const text = rates.get('bare text') ?? null
  const handwritten = rates.get('handwritten') ?? null
  return [
    { what: '÷ limit (the better bare side)', whole: limit, atLeast: goals.limit },
    { what: '÷ bare text', whole: text, atLeast: goals.text },
    { what: '÷ handwritten', whole: handwritten, atLeast: goals.handwritten },
    { what: `÷ ${kind?.what}`, whole: ceiling, atLeast: goals.ceiling },
  ].flatMap(({ what, whole, atLeast }) =>
    atLeast === undefined ? [] : [{ what, value: ratio(service, whole), atLeast }],
  )
}
