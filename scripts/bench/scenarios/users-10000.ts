import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../client.js'
import { applyOpenLoop } from '../open-loop.js'
import { memoryGrowth } from '../process-meters.js'
import type { Goal } from '../report.js'
import { listAuditEvents, listUsers } from '../requests.js'
import type { Scenario, Setting, Tenant } from '../setting.js'
import { type Side, withService } from '../sides.js'
import { median } from '../statistics.js'

const atOnce = 8
const readsPerSecond = 100
const mostGrowth = 2
const mostReadMs = 50

interface Fetched {
  lists: number
  refused: number
  bytes: number
}

/** Reads long lists, some at once, and keeps nothing of them: the load must not be the bottleneck. */
async function readLists(
  { url }: Side,
  tenant: Tenant,
  isOver: (fetched: Fetched) => boolean,
): Promise<Fetched> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const { path, headers } = listUsers(tenant)
  const fetched: Fetched = { lists: 0, refused: 0, bytes: 0 }
  async function readOne(): Promise<void> {
    const [response] = (await once(get(url + path, { agent, headers }), 'response')) as [
      IncomingMessage,
    ]
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    await once(response, 'end')
    if (response.statusCode === 200) Object.assign(fetched, { lists: fetched.lists + 1, bytes })
    else if (response.statusCode === 503) fetched.refused++
    else throw new Error(`A list of users was answered with ${response.statusCode}`)
    // A refused caller does not come back at once.
    if (response.statusCode === 503) await sleep(100)
  }
  async function keepReading(): Promise<void> {
    do await readOne()
    while (!isOver(fetched))
  }
  await Promise.all(Array.from({ length: atOnce }, keepReading))
  agent.destroy()
  return fetched
}

async function measureMemory(setting: Setting) {
  const { users10000, audit1 } = setting.tenants
  return withService(setting.database.url, async (service) => {
    for (let warming = 0; warming < 500; warming++) {
      await send(service.url, listAuditEvents(audit1), 200)
    }
    let bytes = 0
    const one = await memoryGrowth(service.pid, async () => {
      bytes = (await send(service.url, listUsers(users10000), 200)).bytes
    })
    const eight = await memoryGrowth(service.pid, () => readLists(service, users10000, () => true))
    return { bytes, one, eight: eight === null ? null : eight / atOnce }
  })
}

async function measureReads({ options, database, tenants }: Setting) {
  return withService(database.url, async (service) => {
    const read = () =>
      applyOpenLoop({
        url: service.url,
        request: listAuditEvents(tenants.audit1),
        rate: readsPerSecond,
        seconds: options.seconds,
      })
    const rows = []
    for (let round = -1; round < options.rounds; round++) {
      const quiet = await read()
      let isOver = false
      const startedAt = performance.now()
      const reading = readLists(service, tenants.users10000, () => isOver)
      const beside = await read()
      isOver = true
      const { lists, refused } = await reading
      // The first one warms up.
      if (round < 0) continue
      rows.push({
        round: round + 1,
        'quiet p99 ms': quiet.p99,
        'beside p50 ms': beside.p50,
        'beside p99 ms': beside.p99,
        'lists/s': (lists * 1_000) / (performance.now() - startedAt),
        refused,
      })
    }
    return rows
  })
}

/** Whether a list of ten megabytes costs memory, or the others their time. */
export const users10000: Scenario = {
  name: 'users-10000',
  run: async (setting) => {
    const { bytes, one, eight } = await measureMemory(setting)
    const rows = await measureReads(setting)
    const inAnswers = (growth: number | null) => (growth === null ? null : growth / bytes)
    const goals: Goal[] = [
      { what: 'memory for one list ÷ answer', value: inAnswers(one), atMost: mostGrowth },
      {
        what: `memory for each of ${atOnce} at once ÷ answer`,
        value: inAnswers(eight),
        atMost: mostGrowth,
      },
      {
        what: `p99 of a cheap read beside ${atOnce} lists`,
        value: median(rows.map((row) => row['beside p99 ms'])),
        atMost: mostReadMs,
        unit: ' ms',
      },
    ]
    return {
      title: `users, 10,000 rows (${(bytes / 1e6).toFixed(1)} MB), ${atOnce} at once`,
      rows,
      goals,
    }
  },
}
