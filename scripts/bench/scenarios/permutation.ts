import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { compareInWorker } from '../../../src/experiment-results/analysis.js'
import { compareArms, type Options } from '../../../src/experiment-results/comparison.js'
import type { Unit } from '../../../src/experiment-results/trial.js'
import type { Scenario } from '../setting.js'
import { median } from '../statistics.js'

const mostMs = 200
const mostDelayMs = 50
/** In each round, so that the loop is watched for longer than a moment. */
const comparisons = 10
const sessions = 10
const options: Options = { alpha: 0.05, seed: 'bench' }

/** Ten sessions against ten, another twenty values in every comparison. */
const unitsOf = (number: number): Unit[] =>
  Array.from({ length: 2 * sessions }, (_, session) => ({
    arm: session % 2 === 0 ? 'control' : 'intervention',
    block: null,
    value: ((session + 1) * (number + 7) * 7919) % 1009,
  }))

async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function measureRound(round: number) {
  const numbers = Array.from({ length: comparisons }, (_, i) => round * comparisons + i)
  const alone: number[] = []
  for (const number of numbers) alone.push(await timed(() => compareArms(unitsOf(number), options)))
  // What they held up is not what the threads hold up.
  await sleep(100)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const inWorker: number[] = []
  for (const number of numbers) {
    const outcomes = [{ outcome: 'one', units: unitsOf(number) }]
    inWorker.push(await timed(() => compareInWorker(outcomes, options)))
  }
  delay.disable()
  return {
    round: round + 1,
    'comparison ms': median(alone),
    'in a thread ms': median(inWorker),
    'delay p50 ms': delay.percentile(50) / 1e6,
    'delay p99 ms': delay.percentile(99) / 1e6,
    'delay max ms': delay.max / 1e6,
  }
}

/** What the comparison of two arms costs, of which all 184,756 allocations are looked at. */
export const permutation: Scenario = {
  name: 'permutation',
  run: async ({ options: { rounds } }) => {
    // The first one warms up.
    const rows: Awaited<ReturnType<typeof measureRound>>[] = []
    for (let round = -1; round < rounds; round++) rows.push(await measureRound(round))
    rows.shift()
    const middle = (column: 'comparison ms' | 'delay p99 ms') =>
      median(rows.map((row) => row[column]))
    return {
      title: `${sessions} sessions against ${sessions}, exact, with the interval`,
      rows,
      goals: [
        { what: 'one comparison', value: middle('comparison ms'), atMost: mostMs, unit: ' ms' },
        {
          what: 'p99 of the event loop beside it',
          value: middle('delay p99 ms'),
          atMost: mostDelayMs,
          unit: ' ms',
        },
      ],
    }
  },
}
