import { applyLoad } from '../measuring/load.js'
import { residentBytes } from '../measuring/process-meters.js'
import { median } from '../measuring/statistics.js'
import { type Place, startService, withDataDir, withService } from '../processes.js'
import { listUsers } from '../requests.js'
import { type Bench, defineScenario } from '../scenario.js'

/** Returns the milliseconds from the start of the process until it is ready. */
async function timeToReady(place: Place): Promise<number> {
  const startedAt = performance.now()
  const service = await startService(place)
  try {
    const { status } = await fetch(`${service.url}/ready`)
    if (status !== 200) throw new Error(`/ready answered ${status}`)
    return performance.now() - startedAt
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

export const start = defineScenario({
  name: 'start',
  question: 'How soon is a process ready, and how much memory does it need under load?',
  goals: {
    'ready on PostgreSQL after': { atMost: 1_500, unit: ' ms' },
    'ready on a new embedded database after': { atMost: 3_000, unit: ' ms' },
    'ready on an existing embedded database after': { atMost: 3_000, unit: ' ms' },
    'peak memory under the load of users100': { atMost: 140, unit: ' MB' },
  },
  run: async (bench) => {
    const rows: { postgresql: number; created: number; existing: number }[] = []
    for (let round = 0; round < bench.options.rounds; round++) {
      const postgresql = await timeToReady({ databaseUrl: bench.database.url })
      const [created, existing] = await withDataDir(async (dataDir) => {
        return [await timeToReady({ dataDir }), await timeToReady({ dataDir })] as const
      })
      rows.push({ postgresql, created, existing })
    }
    return {
      title: 'start and memory of one process',
      rows: rows.map(({ postgresql, created, existing }, i) => ({
        round: i + 1,
        'PostgreSQL ms': postgresql,
        'embedded, new ms': created,
        'embedded, existing ms': existing,
      })),
      figures: {
        'ready on PostgreSQL after': median(rows.map((row) => row.postgresql)),
        'ready on a new embedded database after': median(rows.map((row) => row.created)),
        'ready on an existing embedded database after': median(rows.map((row) => row.existing)),
        'peak memory under the load of users100': await measurePeak(bench),
      },
    }
  },
})
