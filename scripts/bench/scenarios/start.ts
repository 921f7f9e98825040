import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyLoad } from '../load.js'
import { residentBytes } from '../process-meters.js'
import type { Goal } from '../report.js'
import { listUsers } from '../requests.js'
import type { Scenario, Setting } from '../setting.js'
import { startSide, withService } from '../sides.js'
import { median } from '../statistics.js'

const mostMegabytes = 140
const mostMsPostgres = 1_500
const mostMsEmbedded = 3_000

/** From the start of the process until it says that it is ready. */
async function timeToReady(place: Parameters<typeof startSide>[1]): Promise<number> {
  const startedAt = performance.now()
  const service = await startSide('service', place)
  try {
    const { status } = await fetch(`${service.url}/ready`)
    if (status !== 200) throw new Error(`/ready answered ${status}`)
    return performance.now() - startedAt
  } finally {
    await service.stop()
  }
}

async function measureStarts({ options, database }: Setting) {
  const times = { PostgreSQL: [], 'embedded, new': [], 'embedded, again': [] } as Record<
    string,
    number[]
  >
  for (let round = 0; round < options.rounds; round++) {
    times.PostgreSQL?.push(await timeToReady({ databaseUrl: database.url }))
    const dataDir = mkdtempSync(join(tmpdir(), 'workplace-bench-data-'))
    times['embedded, new']?.push(await timeToReady({ dataDir }))
    times['embedded, again']?.push(await timeToReady({ dataDir }))
    rmSync(dataDir, { recursive: true, force: true })
  }
  return Object.entries(times).map(([where, of]) => ({ where, ms: median(of) }))
}

async function measureMemory({ options, database, tenants }: Setting): Promise<number | null> {
  return withService(database.url, async ({ url, pid }) => {
    await applyLoad({
      url,
      requestsOf: () => [listUsers(tenants.users100)],
      connections: options.connections,
      seconds: options.seconds * 2,
      expectedStatus: 200,
    })
    const { peak } = residentBytes(pid)
    return peak && peak / 1e6
  })
}

/** What a process costs before and while it works. */
export const start: Scenario = {
  name: 'start',
  run: async (setting) => {
    const starts = await measureStarts(setting)
    const megabytes = await measureMemory(setting)
    const goals: Goal[] = starts.map(({ where, ms }) => ({
      what: `start to ready, ${where}`,
      value: ms,
      atMost: where === 'PostgreSQL' ? mostMsPostgres : mostMsEmbedded,
      unit: ' ms',
    }))
    goals.push({
      what: 'peak memory under the load of users100',
      value: megabytes,
      atMost: mostMegabytes,
      unit: ' MB',
    })
    return { title: 'start and memory of one process', rows: starts, goals }
  },
}
