import { setTimeout as sleep } from 'node:timers/promises'
import { withNewDatabases } from '../database/connections.js'
import { registerAccount } from '../fairness/scenery.js'
import { describeStatuses, type Statuses, type Storm } from '../fairness/storm.js'
import { selectStorms } from '../fairness/storms.js'
import { type Reads, readSteadily } from '../measuring/open-loop.js'
import { resetPeak, residentBytes, untilIdle } from '../measuring/process-meters.js'
import { ratio } from '../measuring/statistics.js'
import { behindNginx } from '../nginx.js'
import { type Place, type Side, startService, withDataDir } from '../processes.js'
import type { Row } from '../report.js'
import { getBranding } from '../requests.js'
import { type Bench, defineScenario } from '../scenario.js'

const readsPerSecond = 50
const connections = 16
const patienceMs = 15_000
const maxOverIdle = 100e6
/** A service that holds more is killed, so that it does not take the machine down with it. */
const killAtBytes = 6e9

const sizes = { full: { seconds: 10, recoverMs: 60_000 }, small: { seconds: 3, recoverMs: 10_000 } }

/** What the other organization met beside a storm, and what the process held. */
interface Beside extends Reads {
  storm: string
  answers: string
  idle: number
  most: number
  /** Null when the process has died. */
  after: number | null
}

/** Watches the memory of a process, and kills it when it holds far too much. */
function watchMemory(service: Side) {
  resetPeak(service.pid)
  let most = 0
  const look = () => {
    const { now, peak } = residentBytes(service.pid)
    most = Math.max(most, peak ?? 0)
    if (now !== null && now > killAtBytes) void service.stop('SIGKILL')
    return most
  }
  const timer = setInterval(look, 100)
  return () => {
    clearInterval(timer)
    return look()
  }
}

/** Waits until a process holds little enough, and returns what it holds then. */
async function recover({ pid }: Side, upTo: number, withinMs: number): Promise<number | null> {
  const endsAt = performance.now() + withinMs
  for (;;) {
    await sleep(1_000)
    const { now } = residentBytes(pid)
    if (now === null || now <= upTo || performance.now() >= endsAt) return now
  }
}

/** Measures the steady reads of one organization beside the storm of another. */
async function measure(storm: Storm, service: Side, isSmall: boolean): Promise<Beside> {
  const { url, pid } = service
  const { seconds, recoverMs } = sizes[isSmall ? 'small' : 'full']
  const [account, other] = [await registerAccount(url), await registerAccount(url)]
  const request = getBranding(other)
  const plan = { url, request, rate: readsPerSecond, patienceMs, connections }
  await readSteadily({ ...plan, seconds: 1 })
  await untilIdle(pid)
  const idle = residentBytes(pid).now ?? 0
  const storming = await storm.prepare({ url, account, isSmall })
  await untilIdle(pid)

  const stopWatching = watchMemory(service)
  const ending = new AbortController()
  let answering: Promise<Statuses> | undefined
  const reads = await readSteadily({ ...plan, seconds }, () => {
    answering = storming(ending.signal)
  })
  ending.abort()
  const answers = describeStatuses((await answering) ?? new Map())
  const after = await recover(service, idle + maxOverIdle, recoverMs)
  const hasDied = service.hasEnded()
  return {
    ...reads,
    p99: hasDied ? Infinity : reads.p99,
    storm: storm.name,
    answers: hasDied ? `${answers}, DIED` : answers,
    idle,
    most: stopWatching(),
    after,
  }
}

const serverErrors = ({ faults }: Reads) =>
  faults.filter((one) => one.startsWith('status 5')).length

function rowOf(one: Beside, cheap: Beside | undefined): Row {
  return {
    storm: one.storm,
    'p50 ms': one.p50,
    'p99 ms': one.p99,
    'worst ms': one.worst,
    '÷ cheap read': ratio(one.p99, cheap?.p99 ?? null),
    '5xx': serverErrors(one),
    'no answer': one.faults.length - serverErrors(one),
    'idle MB': one.idle / 1e6,
    'most MB': one.most / 1e6,
    'after MB': one.after === null ? null : one.after / 1e6,
    'answers to the storm': one.answers,
  }
}

/** Each storm meets a new service on a new database. */
function withPlace<T>(kind: Kind, { database }: Bench, work: (place: Place) => Promise<T>) {
  if (kind === 'embedded') return withDataDir((dataDir) => work({ dataDir }))
  const name = `workplace_bench_fairness_${process.pid}`
  return withNewDatabases([database.url], name, ([databaseUrl = '']) => work({ databaseUrl }))
}

/** The service, perhaps behind nginx. */
async function start(place: Place, { service: from, nginx }: Bench['options']): Promise<Side> {
  if (!nginx) return startService(place, { from })
  const service = await startService(place, { from, environment: { TRUST_PROXY: 'loopback' } })
  return behindNginx(service).catch(async (error) => {
    await service.stop()
    throw error
  })
}

async function play(bench: Bench, kind: Kind) {
  const { only, small } = bench.options
  const measured: Beside[] = []
  const notes = ['RATE_LIMIT is off, so that nothing of the storms is refused by rate.']
  if (bench.options.nginx) notes.push('Through nginx, as docs/operating.md configures it.')
  for (const storm of selectStorms(only)) {
    try {
      const beside = await withPlace(kind, bench, async (place) => {
        const service = await start(place, bench.options)
        return measure(storm, service, small).finally(() => service.stop())
      })
      measured.push(beside)
      console.log(`  beside ${storm.name}: p99 ${beside.p99?.toFixed(0)} ms`)
    } catch (error) {
      notes.push(`${storm.name} was NOT MEASURED: ${String(error).slice(0, 300)}`)
    }
  }
  const [cheap, ...others] = measured
  const max = (figure: (one: Beside) => number | null, of = measured) =>
    of.length > 0 ? Math.max(...of.map((one) => figure(one) ?? Infinity)) : null
  return {
    title: `${readsPerSecond} cheap reads a second of one organization, beside storms of another`,
    rows: measured.map((one) => rowOf(one, cheap)),
    figures: {
      'p99 beside the worst storm ÷ beside cheap reads': max(
        ({ p99 }) => ratio(p99, cheap?.p99 ?? null),
        others,
      ),
      'answers 5xx, most beside one storm': max(serverErrors),
      'requests without an answer, most': max((one) => one.faults.length - serverErrors(one)),
      'memory of the process, most': max(({ most }) => most / 1e6),
      'memory over idle after the storm, most': max(
        ({ after, idle }) => after && (after - idle) / 1e6,
      ),
    },
    notes,
  }
}

const kinds = ['postgresql', 'embedded'] as const
type Kind = (typeof kinds)[number]

export const fairness = kinds.map((kind) =>
  defineScenario({
    name: `fairness-${kind}`,
    question: 'Can one organization slow down another?',
    goals: {
      'p99 beside the worst storm ÷ beside cheap reads': { atMost: 3 },
      'answers 5xx, most beside one storm': { atMost: 0 },
      'requests without an answer, most': { atMost: 0 },
      'memory of the process, most': { atMost: 400, unit: ' MB' },
      'memory over idle after the storm, most': { atMost: maxOverIdle / 1e6, unit: ' MB' },
    },
    run: (bench) => play(bench, kind),
  }),
)
