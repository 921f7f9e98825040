import { setTimeout as sleep } from 'node:timers/promises'
import { type Arena, cheapRead, type DatabaseKind, withArena } from '../fairness/arena.js'
import { type Beside, goalsOf, mostOverIdle, rowOf } from '../fairness/beside.js'
import type { Statuses } from '../fairness/flood.js'
import { recover, watchMemory } from '../fairness/memory.js'
import type { Storm } from '../fairness/storm.js'
import { chosenStorms } from '../fairness/storms.js'
import { readSteadily } from '../open-loop.js'
import { residentBytes, untilIdle } from '../process-meters.js'
import type { Outcome } from '../report.js'
import type { Scenario, Setting } from '../setting.js'
import { percentile } from '../statistics.js'

const readsPerSecond = 50
const readConnections = 16
const patienceMs = 15_000

const sizes = { full: { seconds: 10, recoverMs: 60_000 }, small: { seconds: 3, recoverMs: 10_000 } }
type Size = (typeof sizes)['full']

/** The storm of one organization, and the steady reads of the other beside it. */
async function measure(storm: Storm, arena: Arena, { seconds, recoverMs }: Size): Promise<Beside> {
  const { service, url, other } = arena
  const read = {
    url,
    request: cheapRead(other),
    rate: readsPerSecond,
    patienceMs,
    connections: readConnections,
  }
  await readSteadily({ ...read, seconds: 1 })
  await untilIdle(service.pid)
  const idle = residentBytes(service.pid).now ?? 0
  const storming = await storm.prepare(arena)
  await untilIdle(service.pid)

  const memory = watchMemory(service)
  const ending = new AbortController()
  let answering: Promise<Statuses> | undefined
  const { times, faults } = await readSteadily({ ...read, seconds }, () => {
    answering = storming(ending.signal)
  })
  ending.abort()
  const answers = describe((await answering) ?? new Map())
  const recovery = await recover(service, { upTo: idle + mostOverIdle, withinMs: recoverMs })
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
