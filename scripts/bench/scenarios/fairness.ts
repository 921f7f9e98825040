import { setTimeout as sleep } from 'node:timers/promises'
import { type Arena, cheapRead, type DatabaseKind, withArena } from '../fairness/arena.js'
import type { Statuses } from '../fairness/flood.js'
import { type Recovery, recover, watchMemory } from '../fairness/memory.js'
import type { Storm } from '../fairness/storm.js'
import { chosenStorms } from '../fairness/storms.js'
import { readSteadily } from '../open-loop.js'
import { residentBytes, untilIdle } from '../process-meters.js'
import type { Cell, Goal, Outcome } from '../report.js'
import type { Scenario, Setting } from '../setting.js'
import { percentile, ratio } from '../statistics.js'

const readsPerSecond = 100
const patienceMs = 15_000
const mostRatio = 3
const mostMegabytes = 400
const mostOverIdle = 100

const sizes = { full: { seconds: 10, recoverMs: 60_000 }, small: { seconds: 3, recoverMs: 10_000 } }
type Size = (typeof sizes)['full']

/** What the other organization met beside a storm. */
interface Beside extends Recovery {
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

/** The storm of one organization, and the steady reads of the other beside it. */
async function measure(storm: Storm, arena: Arena, { seconds, recoverMs }: Size): Promise<Beside> {
  const { service, url, other } = arena
  const read = { url, request: cheapRead(other), rate: readsPerSecond, patienceMs }
  await readSteadily({ ...read, seconds: 1 })
  await untilIdle(service.pid)
  const idle = residentBytes(service.pid).now ?? 0
  const storming = await storm.prepare(arena)
  await untilIdle(service.pid)

  const memory = watchMemory(service)
  const ending = new AbortController()
  const answering = storming(ending.signal)
  const { times, faults } = await readSteadily({ ...read, seconds })
  ending.abort()
  const answers = describe(await answering)
  const recovery = await recover(service, { upTo: idle + mostOverIdle * 1e6, withinMs: recoverMs })
  const most = memory.stop()
  const hasDied = service.hasEnded()
  return {
    storm: storm.name,
    answers: hasDied ? `${answers}, DIED` : answers,
    p50: percentile(times, 0.5),
    p99: hasDied ? Infinity : percentile(times, 0.99),
    worst: times.length > 0 ? Math.max(...times) : null,
    serverErrors: faults.filter((fault) => fault.startsWith('status 5')).length,
    faults: faults.filter((fault) => !fault.startsWith('status 5')).length,
    idle,
    most,
    ...recovery,
  }
}

const describe = (statuses: Statuses) =>
  [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ') || 'none'

function rowOf(one: Beside, cheap: Beside | undefined): Record<string, Cell> {
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

function goalsOf(measured: Beside[]): Goal[] {
  const [cheap] = measured
  const ratios = measured.slice(1).map(
    ({ storm, p99 }): Goal => ({
      what: `p99 beside ${storm} ÷ beside cheap reads`,
      value: ratio(p99, cheap?.p99 ?? null),
      atMost: mostRatio,
    }),
  )
  const most = (of: (one: Beside) => number) => Math.max(...measured.map(of))
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
      ...{ atMost: mostMegabytes, unit: ' MB' },
    },
    {
      what: 'memory over idle after the storm, most',
      value: most(({ after, idle }) => (after === null ? Infinity : (after - idle) / 1e6)),
      ...{ atMost: mostOverIdle, unit: ' MB' },
    },
  ]
}

async function play({ options, database }: Setting, kind: DatabaseKind): Promise<Outcome> {
  const size = sizes[options.small ? 'small' : 'full']
  const measured: Beside[] = []
  const notes = ['RATE_LIMIT is off: what rate limits would refuse is let through.']
  for (const storm of chosenStorms(options.only)) {
    const place = { server: database.url, options }
    try {
      const beside = await withArena(kind, place, (arena) => measure(storm, arena, size))
      measured.push(beside)
      console.log(`  beside ${storm.name}: p99 ${beside.p99?.toFixed(0)} ms`)
    } catch (error) {
      notes.push(`${storm.name} was NOT MEASURED: ${String(error).slice(0, 300)}`)
    }
    await sleep(1_000)
  }
  const title = `${readsPerSecond} cheap reads a second of one organization, beside storms of another`
  const rows = measured.map((one) => rowOf(one, measured[0]))
  return { title, rows, goals: goalsOf(measured), notes }
}

/** Whether one organization can slow down another. */
export const fairness: Scenario[] = (['postgresql', 'embedded'] as const).map((kind) => ({
  name: `fairness-${kind}`,
  run: (setting) => play(setting, kind),
}))
