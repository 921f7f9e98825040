import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Test } from 'tap'
import { migrateToLatest } from '../../src/database/migrate.js'
import { openDatabase } from '../../src/database/open.js'
import { until } from './until.js'

export interface Node {
  host: string
  port: number
}

interface Cluster {
  coordinator: Node
  workers: Node[]
}

/** The nodes of the Citus cluster whose coordinator has this address. */
export async function findNodes(coordinatorUrl: string): Promise<Cluster> {
  const rows = await queryOn<{ groupid: number; nodename: string; nodeport: number }>(
    coordinatorUrl,
    'select groupid, nodename, nodeport from pg_dist_node order by groupid',
  )
  const [coordinator, ...workers] = rows.map(({ nodename: host, nodeport: port }) => ({
    host,
    port,
  }))
  if (!coordinator) throw new Error('TEST_CITUS_URL names no cluster with a coordinator')
  return { coordinator, workers }
}

/**
 * Calls `run` under a lock of all test processes. Two databases that add a node at the same moment
 * change the same roles of that node, and one of them fails.
 */
async function runExclusively(coordinatorUrl: string, run: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: coordinatorUrl })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(1)')
    await run()
  } finally {
    await client.end()
  }
}

/** Creates an empty database on every node and adds the workers to it. Returns its address. */
export async function createOnCluster(
  coordinatorUrl: string,
  name: string,
  { coordinator, workers }: Cluster,
): Promise<string> {
  const url = addressOf(coordinatorUrl, coordinator, name)
  await Promise.all(
    [coordinator, ...workers].map(async (node) => {
      await queryOn(addressOf(coordinatorUrl, node), `create database ${name}`)
      const nodeUrl = addressOf(coordinatorUrl, node, name)
      await queryOn(nodeUrl, 'create extension citus')
      // Tests use triggers to make the database refuse statements.
      await queryOn(nodeUrl, `alter database ${name} set citus.enable_unsafe_triggers = on`)
    }),
  )
  await runExclusively(coordinatorUrl, async () => {
    await queryOn(url, 'select citus_set_coordinator_host($1, $2)', [
      coordinator.host,
      coordinator.port,
    ])
    for (const { host, port } of workers) {
      await queryOn(url, 'select citus_add_node($1, $2)', [host, port])
    }
  })
  return url
}

/** Creates an empty database on the cluster, and drops it when the test ends. */
export async function createEmpty(
  t: Pick<Test, 'teardown'>,
  coordinatorUrl: string,
  among?: Cluster,
): Promise<{ name: string; url: string }> {
  const all = await findNodes(coordinatorUrl)
  const name = newDatabaseName()
  t.teardown(() => dropOnCluster(coordinatorUrl, name, all))
  return { name, url: await createOnCluster(coordinatorUrl, name, among ?? all) }
}

export const newDatabaseName = () => `test_${randomBytes(8).toString('hex')}`

/** Migrates a database of the cluster to the newest schema and distributes it over the nodes. */
export async function distribute(databaseUrl: string): Promise<void> {
  const db = await openDatabase({ databaseUrl, dataDir: '', databasePoolMax: 1 }, () => {})
  await migrateToLatest(db, { shouldDistribute: true })
  await db.destroy()
}

export async function dropOnCluster(
  coordinatorUrl: string,
  name: string,
  { coordinator, workers }: Cluster,
): Promise<void> {
  for (const node of [coordinator, ...workers]) {
    const statement = `drop database if exists ${name} with (force)`
    // A node may open a new connection at the moment when the others are closed.
    await until(() =>
      queryOn(addressOf(coordinatorUrl, node), statement).then(
        () => true,
        async ({ code }) => {
          if (code === '55006') await rollBackPrepared(addressOf(coordinatorUrl, node, name))
          return code !== '55006'
        },
      ),
    )
  }
}

/** Rolls back transactions between the two phases of their commit, which block the database. */
async function rollBackPrepared(databaseUrl: string): Promise<void> {
  const prepared = await queryOn<{ gid: string }>(
    databaseUrl,
    'select gid from pg_prepared_xacts where database = current_database()',
  ).catch(() => [])
  for (const { gid } of prepared) {
    await queryOn(databaseUrl, `rollback prepared ${pg.escapeLiteral(gid)}`).catch(() => {})
  }
}

/** The address of a database on a node, by default of the database that always exists. */
export function addressOf(coordinatorUrl: string, { host, port }: Node, database?: string): string {
  const url = new URL(coordinatorUrl)
  url.hostname = host
  url.port = String(port)
  if (database) url.pathname = `/${database}`
  return url.href
}

export async function queryOn<Row extends pg.QueryResultRow>(
  connectionString: string,
  statement: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Row>(statement, values)).rows
  } finally {
    await client.end()
  }
}
