import type pg from 'pg'
import { createClusterDatabase } from '../cluster.js'
import { connect, dropDatabases, serverUrl, siblingUrl, withClient } from '../connections.js'
import { fillDatabase, spreadDatabase } from '../database.js'
import { describeServer } from '../machine.js'
import type { Goal } from '../report.js'
import { playRounds } from '../rounds.js'
import { type Costs, costOf } from '../scale/costs.js'
import { type OperationName, scaleTasks } from '../scale/tasks.js'
import { type Scenario, type Setting, selectAdmins } from '../setting.js'
import { type Side, withSides } from '../sides.js'
import { ratio } from '../statistics.js'
import type { Figures } from '../turn.js'

const databaseName = 'workplace_bench_scale'
/** So few that both databases are made in seconds. How long a history is does not matter to a list. */
const events = 10_000
const leastShare = 0.7
/** Organizations whose brandings are changed, on whichever nodes they are. */
const branded = [101, 102, 103, 104]

/** What it costs to spread the tables over the nodes of a cluster: the same data, in turns. */
export const scaleCitus: Scenario = {
  name: 'scale-citus',
  missing: () =>
    process.env.CITUS_URL
      ? null
      : 'set CITUS_URL to a database on the coordinator of a Citus cluster to compare with',
  run: async (setting) => {
    const citusUrl = process.env.CITUS_URL ?? ''
    const server = serverUrl()
    let urls: string[] = []
    try {
      urls = await createClusterDatabase(citusUrl, databaseName)
      const [coordinator = ''] = urls
      await dropDatabases([server], databaseName)
      await withClient(server, (client) => client.query(`create database ${databaseName}`))
      const single = siblingUrl(server, databaseName)
      for (const url of [single, coordinator]) await fillDatabase(url, events)
      await spreadDatabase(coordinator)
      return await compare(setting, [single], urls)
    } finally {
      await dropDatabases([server, ...urls], databaseName)
    }
  },
}

async function compare({ options, tenants }: Setting, single: string[], cluster: string[]) {
  const urlsOf = (name: string) => (name === 'citus' ? cluster : single)
  const clients = new Map<string, pg.Client>()
  try {
    for (const url of [...single, ...cluster]) clients.set(url, await connect(url))
    const serversOf = ({ name }: Pick<Side, 'name'>) =>
      urlsOf(name).flatMap((url) => clients.get(url) ?? [])
    const firstOf = (side: Pick<Side, 'name'>) => serversOf(side)[0] as pg.Client
    const admins = await selectAdmins(firstOf({ name: 'postgresql' }), branded)
    const tasks = scaleTasks(tenants, admins, firstOf)
    const first = (name: string) => urlsOf(name)[0] ?? ''
    return await withSides(['postgresql', 'citus'], first, async (sides) => {
      const rows = []
      const goals: Goal[] = []
      const costs: Costs = {}
      for (const [name, task] of Object.entries(tasks)) {
        const { figures } = await playRounds(options, task, sides, { serversOf })
        for (const [side, reached] of figures) rows.push(row(task.title, side.name, reached))
        const [plain, spread] = sides.flatMap((side) => figures.get(side) ?? [])
        if (!plain || !spread) throw new Error('A side did not take its turns')
        costs[name as OperationName] = costOf(spread) ?? undefined
        const value = ratio(spread.requestsPerSecond, plain.requestsPerSecond)
        goals.push({ what: `${task.title}, citus ÷ postgresql`, value, atLeast: leastShare })
      }
      const notes = await describeServers([...clients])
      const title = `one PostgreSQL and a cluster of ${cluster.length} nodes, ${events} audit events`
      return { title, rows, goals, notes, costs }
    })
  } finally {
    for (const client of clients.values()) await client.end()
  }
}

function row(operation: string, side: string, reached: Figures) {
  const cost = costOf(reached)
  return {
    operation,
    side,
    'requests/s': reached.requestsPerSecond,
    'p50 ms': reached.p50,
    'p99 ms': reached.p99,
    'service µs': reached.serviceUs,
    'server µs': cost?.server ?? null,
    'workers µs': cost?.workers ?? null,
  }
}

async function describeServers(clients: [url: string, client: pg.Client][]): Promise<string[]> {
  const described = []
  for (const [url, client] of clients)
    described.push([new URL(url).host, await describeServer(client)])
  const [[, first] = []] = described
  const areAlike = described.every(([, settings]) => settings === first)
  return areAlike
    ? [`All ${described.length} servers: ${first}`]
    : ['The servers are NOT configured alike:', ...described.map((line) => line.join(': '))]
}
