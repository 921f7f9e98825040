import type { Cell, Goal } from '../report.js'
import { ratio } from '../statistics.js'
import type { Recovery } from './memory.js'

const mostRatio = 3
const mostBytes = 400e6
/** What a process may hold a minute after a storm, over what it held before. */
export const mostOverIdle = 100e6

/** What the other organization met beside a storm. */
export interface Beside extends Recovery {
  storm: string
  answers: string
  p50: number | null
  p99: number | null
  worst: number | null
  serverErrors: number
  faults: number
  idle: number
  most: number
}

/** A line of the table. */
export function rowOf(one: Beside, cheap: Beside | undefined): Record<string, Cell> {
  return {
    storm: one.storm,
    'p50 ms': one.p50,
    'p99 ms': one.p99,
    'worst ms': one.worst,
    '÷ cheap read': ratio(one.p99, cheap?.p99 ?? null),
    '5xx': one.serverErrors,
    'no answer': one.faults,
    'idle MB': one.idle / 1e6,
    'most MB': one.most / 1e6,
    'after MB': one.after === null ? null : one.after / 1e6,
    'after s': one.afterMs / 1_000,
    'answers to the storm': one.answers,
  }
}

/** The first storm is what the others are compared with. */
export function goalsOf(measured: Beside[]): Goal[] {
  const [cheap] = measured
  const ratios = measured.slice(1).map(
    ({ storm, p99 }): Goal => ({
      what: `p99 beside ${storm} ÷ beside cheap reads`,
      value: ratio(p99, cheap?.p99 ?? null),
      atMost: mostRatio,
    }),
  )
  const most = (of: (one: Beside) => number) =>
    measured.length > 0 ? Math.max(...measured.map(of)) : null
  return [
    ...ratios,
    {
      what: 'answers 5xx, most beside one storm',
      value: most((one) => one.serverErrors),
      atMost: 0,
    },
    { what: 'requests without an answer, most', value: most((one) => one.faults), atMost: 0 },
    {
      what: 'memory of the process, most',
      value: most((one) => one.most / 1e6),
      ...{ atMost: mostBytes / 1e6, unit: ' MB' },
    },
    {
      what: 'memory over idle after the storm, most',
      value: most(({ after, idle }) => (after === null ? Infinity : (after - idle) / 1e6)),
      ...{ atMost: mostOverIdle / 1e6, unit: ' MB' },
    },
  ]
}
