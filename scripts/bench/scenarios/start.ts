import { applyLoad } from '../measuring/load.js'
import { cpuMs, residentBytes } from '../measuring/process-meters.js'
import { median } from '../measuring/statistics.js'
import { type Place, startService, withDataDir, withService } from '../processes.js'
import { listUsers } from '../requests.js'
import { type Bench, defineScenario } from '../scenario.js'

/** Returns the milliseconds until a new process is ready, and the processor time it has used. */
async function measureStart(place: Place, from: string | null = null) {
  const startedAt = performance.now()
  const service = await startService(place, { from })
  try {
    const { status } = await fetch(`${service.url}/ready`)
    if (status !== 200) throw new Error(`/ready answered ${status}`)
    return { ms: performance.now() - startedAt, cpu: cpuMs(service.pid) }
  } finally {
    await service.stop()
  }
}

const measurePeak = ({ options, database, tenants }: Bench) =>
  withService({ databaseUrl: database.url }, async ({ url, pid }) => {
    const { connections, seconds } = options
    const load = { request: listUsers(tenants.users100), connections, expectedStatus: 200 }
    await applyLoad({ url, ...load, seconds: seconds * 2 })
    const { peak } = residentBytes(pid)
    return peak && peak / 1e6
  })

/** Returns the processor time of a start as a share of another checkout's, measured in turns. */
async function compareStarts({ options, database }: Bench): Promise<number | null> {
  const { rounds, service } = options
  if (service === null) return null
  const place = { databaseUrl: database.url }
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ours.push((await measureStart(place)).cpu ?? Number.NaN)
    theirs.push((await measureStart(place, service)).cpu ?? Number.NaN)
  }
  const [our, their] = [median(ours), median(theirs)]
  return our && their && our / their
}

export const start = defineScenario({
  name: 'start',
  question: 'How soon is a process ready, and how much memory does it need under load?',
  goals: {
    'ready on PostgreSQL after': { atMost: 1_500, unit: ' ms' },
    'ready on a new embedded database after': { atMost: 3_000, unit: ' ms' },
    'ready on an existing embedded database after': { atMost: 3_000, unit: ' ms' },
    'processor time of a start, of that in --service': { atMost: 1.05, unit: ' ×' },
    'peak memory under the load of users100': { atMost: 140, unit: ' MB' },
  },
  run: async (bench) => {
    const rows: { postgresql: number; cpu: number | null; created: number; existing: number }[] = []
    for (let round = 0; round < bench.options.rounds; round++) {
      const { ms: postgresql, cpu } = await measureStart({ databaseUrl: bench.database.url })
      const [created, existing] = await withDataDir(async (dataDir) => {
        return [(await measureStart({ dataDir })).ms, (await measureStart({ dataDir })).ms] as const
      })
      rows.push({ postgresql, cpu, created, existing })
    }
    return {
      title: 'start and memory of one process',
      rows: rows.map(({ postgresql, cpu, created, existing }, i) => ({
        round: i + 1,
        'PostgreSQL ms': postgresql,
        'processor ms': cpu,
        'embedded, new ms': created,
        'embedded, existing ms': existing,
      })),
      figures: {
        'ready on PostgreSQL after': median(rows.map((row) => row.postgresql)),
        'ready on a new embedded database after': median(rows.map((row) => row.created)),
        'ready on an existing embedded database after': median(rows.map((row) => row.existing)),
        'processor time of a start, of that in --service': await compareStarts(bench),
        'peak memory under the load of users100': await measurePeak(bench),
      },
    }
  },
})
