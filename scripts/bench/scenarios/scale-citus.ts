import type pg from 'pg'
import { withClusterDatabase } from '../cluster.js'
import { connect, serverUrl, withNewDatabases } from '../connections.js'
import { fillDatabase, spreadDatabase } from '../database.js'
import { describeServer } from '../machine.js'
import type { SideName } from '../programs.js'
import { costOf } from '../scale/costs.js'
import { comparePair } from '../scale/pair.js'
import { scaleTasks } from '../scale/tasks.js'
import { type Scenario, type Setting, selectAdmins } from '../setting.js'
import { type Side, withSides } from '../sides.js'
import type { Figures } from '../turn.js'

const singleName = 'workplace_bench_single'
const clusterName = 'workplace_bench_cluster'
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
      : 'it compares with a Citus cluster, on whose coordinator CITUS_URL has to name a database.',
  run: (setting) =>
    withNewDatabases([serverUrl()], singleName, (single) =>
      withClusterDatabase(process.env.CITUS_URL ?? '', clusterName, async (cluster) => {
        for (const [url = ''] of [single, cluster]) await fillDatabase(url, events)
        await spreadDatabase(cluster[0] ?? '')
        return compare(setting, single, cluster)
      }),
    ),
}

async function compare({ options, tenants }: Setting, single: string[], cluster: string[]) {
  const urlsOf = (name: SideName) => (name === 'citus' ? cluster : single)
  const firstUrl = (name: SideName) => urlsOf(name)[0] ?? ''
  const clients = new Map<string, pg.Client>()
  try {
    for (const url of [...single, ...cluster]) clients.set(url, await connect(url))
    const serversOf = ({ name }: Side) => urlsOf(name).flatMap((url) => clients.get(url) ?? [])
    const clientOf = ({ name }: Pick<Side, 'name'>) => clients.get(firstUrl(name)) as pg.Client
    const admins = await selectAdmins(clientOf({ name: 'postgresql' }), branded)
    const tasks = scaleTasks(tenants, admins, clientOf)
    const compared = await withSides(['postgresql', 'citus'], firstUrl, (sides) =>
      comparePair(options, tasks, {
        sides,
        serversOf,
        atLeast: leastShare,
        priced: 'citus',
        describe,
      }),
    )
    const title = `one PostgreSQL and a cluster of ${cluster.length} nodes, ${events} audit events`
    return { title, ...compared, notes: await describeServers([...clients]) }
  } finally {
    for (const client of clients.values()) await client.end()
  }
}

function describe(reached: Figures) {
  const cost = costOf(reached)
  const { loadUs } = reached
  const all = cost && loadUs !== null && loadUs + cost.service + cost.server + cost.workers
  return {
    'requests/s': reached.requestsPerSecond,
    'p50 ms': reached.p50,
    'p99 ms': reached.p99,
    'load µs': reached.loadUs,
    'service µs': reached.serviceUs,
    'asked server µs': cost?.server ?? null,
    'other servers µs': cost?.workers ?? null,
    'all µs': all || null,
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
