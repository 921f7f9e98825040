import type { Cell, Goal, Outcome } from '../report.js'
import { percentile } from '../statistics.js'
import type { Ledger, Request } from './ledger.js'
import type { Turn } from './storms.js'
import type { Workers } from './workers.js'

interface Findings {
  ledger: Ledger
  workers: Workers
  turns: Turn[]
  lost: { kind: string; acknowledged: number; lost: number }[] | null
  invalid: number
  trails: number
}

/** What the soak found out, as a table beside its goals. */
export function outcomeOf({ ledger, workers, turns, lost, invalid, trails }: Findings): Outcome {
  const unfair = new Set(ledger.unfair())
  const bad = ledger.bad()
  const rows = turns.map((turn) => rowOf(turn, { ledger, bad, unfair }))
  const total = lost?.reduce((sum, one) => sum + one.lost, 0) ?? null
  const goals: Goal[] = [
    { what: 'acknowledged writes that are lost', value: total, atMost: 0 },
    { what: 'unfair: 4xx, 5xx, none or late, and no kill near', value: unfair.size, atMost: 0 },
    { what: `trails that are not valid, of ${trails}`, value: invalid, atMost: 0 },
    workers.goal(),
    { what: 'processes killed', value: ledger.kills, atLeast: 1 },
  ]
  const held = workers
    .quarters()
    .map((one) => `${one['median MB']?.toFixed(0)} (most ${one['most MB'].toFixed(0)})`)
  const notes = [
    `Acknowledged: ${(lost ?? []).map((one) => `${one.acknowledged} × ${one.kind}`).join(', ')}.`,
    `A process held, in MB, median of each quarter: ${held.join(', ')}.`,
    ...worstOf([...unfair]).map(describe),
    ...turns.flatMap(({ storm, faults }) =>
      faults.slice(0, 1).map((fault) => `${storm} was not made ${faults.length} times: ${fault}`),
    ),
  ]
  return { title: 'an honest organization beside the storms of others', rows, goals, notes }
}

function rowOf(
  { storm, answers }: Turn,
  { ledger, bad, unfair }: { ledger: Ledger; bad: Request[]; unfair: Set<Request> },
): Record<string, Cell> {
  const isBeside = (request: Request) => request.storm === storm
  const own = ledger.requests.filter(isBeside)
  const times = own.map(({ ms }) => ms)
  const failed = bad.filter(isBeside)
  return {
    storm,
    requests: own.length,
    'p50 ms': percentile(times, 0.5),
    'p99 ms': percentile(times, 0.99),
    'worst ms': percentile(times, 1),
    'bad near a kill': failed.filter((request) => !unfair.has(request)).length,
    unfair: failed.filter((request) => unfair.has(request)).length,
    'answers to the storm':
      [...answers].map(([status, count]) => `${count} × ${status}`).join(', ') || 'none',
  }
}

const toldRequests = 10

const worstOf = (requests: Request[]) => requests.sort((a, b) => b.ms - a.ms).slice(0, toldRequests)

const describe = ({ what, status, ms, storm }: Request) =>
  `Unfair: ${what} answered ${status ?? 'nothing'} after ${ms.toFixed(0)} ms, beside ${storm}.`
