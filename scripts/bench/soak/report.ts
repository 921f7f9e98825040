import { describeStatuses } from '../fairness/storm.js'
import { percentile, ratio } from '../measuring/statistics.js'
import type { Findings, Goals, Row } from '../report.js'
import type { Ledger, Request } from './ledger.js'
import type { Storms } from './storming.js'
import type { Workers } from './workers.js'

export const goals = {
  'acknowledged writes that are lost': { atMost: 0 },
  'unfair requests: no answer, late or an error, no kill near': { atMost: 0 },
  'trails that are not valid': { atMost: 0 },
  'memory, last quarter ÷ first': { atMost: 1.3 },
  'processes killed': { atLeast: 1 },
} satisfies Goals

interface Soaked {
  ledger: Ledger
  workers: Workers
  storms: Storms
  lost: { kind: string; acknowledged: number; lost: number }[] | null
  invalid: number
}

export function describeSoak(soaked: Soaked): Findings<keyof typeof goals> {
  const { ledger, workers, storms, lost, invalid } = soaked
  const unfair = ledger.unfair().sort((a, b) => b.ms - a.ms)
  const quarters = workers.quarters()
  const held = quarters.map((one) => `${one.median?.toFixed(0)} (most ${one.max.toFixed(0)})`)
  const faults = [...storms.turns].flatMap(([storm, turn]) =>
    turn.faults.slice(0, 1).map((fault) => `${storm} failed ${turn.faults.length} times: ${fault}`),
  )
  return {
    title: 'an honest organization beside the storms of others',
    rows: [...storms.turns.keys()].map((storm) => rowOf(storm, soaked, unfair)),
    figures: {
      'acknowledged writes that are lost': lost?.reduce((sum, one) => sum + one.lost, 0) ?? null,
      'unfair requests: no answer, late or an error, no kill near': unfair.length,
      'trails that are not valid': invalid,
      'memory, last quarter ÷ first': ratio(
        quarters.at(-1)?.median ?? null,
        quarters[0]?.median ?? null,
      ),
      'processes killed': ledger.kills.length,
    },
    notes: [
      `Acknowledged: ${(lost ?? []).map((one) => `${one.acknowledged} × ${one.kind}`).join(', ')}.`,
      `${storms.accounts.length + 1} trails were verified.`,
      `A process held, in MB, median of each quarter: ${held.join(', ')}.`,
      ...unfair.slice(0, 10).map(describeUnfair),
      ...faults,
    ],
  }
}

function rowOf(storm: string, { ledger, storms }: Soaked, unfair: Request[]): Row {
  const isBeside = (request: Request) => request.storm === storm
  const times = ledger.requests.filter(isBeside).map(({ ms }) => ms)
  const unfairCount = unfair.filter(isBeside).length
  return {
    storm,
    requests: times.length,
    'p50 ms': percentile(times, 0.5),
    'p99 ms': percentile(times, 0.99),
    'worst ms': percentile(times, 1),
    'bad near a kill': ledger.bad().filter(isBeside).length - unfairCount,
    unfair: unfairCount,
    'answers to the storm': describeStatuses(storms.turns.get(storm)?.answers ?? new Map()),
  }
}

const describeUnfair = ({ what, status, ms, storm }: Request) =>
  `Unfair: ${what} answered ${status ?? 'nothing'} after ${ms.toFixed(0)} ms, beside ${storm}.`
