import type pg from 'pg'
import { siblingUrl, withClient } from './connections.js'

/** A database of the same name on every node of a Citus cluster, the coordinator first. */
export interface ClusterDatabase {
  urls: string[]
}

interface Node {
  nodename: string
  nodeport: number
  shouldhaveshards: boolean
}

/** Makes an empty database on the nodes of the cluster in which `citusUrl` is a database. */
export async function createClusterDatabase(
  citusUrl: string,
  name: string,
): Promise<ClusterDatabase> {
  const nodes = await selectNodes(citusUrl)
  const servers = nodes.map(({ nodename, nodeport }) => {
    const url = new URL(citusUrl)
    url.hostname = nodename
    url.port = String(nodeport)
    return url.href
  })
  await dropClusterDatabase(servers, name)
  const urls = servers.map((server) => siblingUrl(server, name))
  for (const [index, server] of servers.entries()) {
    await withClient(server, (client) => client.query(`create database ${name}`))
    await withClient(urls[index] ?? '', (client) => client.query('create extension citus'))
  }
  await withClient(urls[0] ?? '', (client) => joinNodes(client, nodes))
  return { urls }
}

export async function dropClusterDatabase(urls: readonly string[], name: string): Promise<void> {
  for (const url of urls) {
    await withClient(siblingUrl(url, 'postgres'), (client) =>
      client.query(`drop database if exists ${name} with (force)`),
    )
  }
}

/** As the database that is there already sees them, the coordinator first. */
async function selectNodes(citusUrl: string): Promise<Node[]> {
  const { rows } = await withClient(citusUrl, (client) =>
    client.query<Node>(`
      select nodename, nodeport, shouldhaveshards from pg_dist_node
      where noderole = 'primary' order by groupid`),
  )
  if (rows.length > 1) return rows
  throw new Error('CITUS_URL must name a database on the coordinator of a cluster that has workers')
}

async function joinNodes(client: pg.Client, [coordinator, ...workers]: Node[]): Promise<void> {
  if (!coordinator) return
  const { nodename, nodeport, shouldhaveshards } = coordinator
  await client.query('select citus_set_coordinator_host($1, $2)', [nodename, nodeport])
  for (const worker of workers) {
    await client.query('select citus_add_node($1, $2)', [worker.nodename, worker.nodeport])
  }
  const property = `select citus_set_node_property($1, $2, 'shouldhaveshards', $3)`
  await client.query(property, [nodename, nodeport, shouldhaveshards])
}

/** The tables of an organization, each after those that it refers to. */
const tenantTables = [
  'brandings',
  'users',
  'credentials',
  'sessions',
  'refresh_tokens',
  'invitations',
  'password_resets',
  'api_keys',
  'audit_events',
  'blueprint_setups',
  'characters',
  'channel_templates',
  'experiments',
]

/** Moves the data that are on the coordinator to the nodes of their organizations. */
export async function distributeTables(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`set client_min_messages = warning`)
    await client.query(`select create_distributed_table('organizations', '_id')`)
    for (const table of tenantTables) {
      await client.query(
        `select create_distributed_table($1, 'organization_id', colocate_with => 'organizations')`,
        [table],
      )
    }
    await client.query(
      `select create_distributed_table('email_registry', 'email', colocate_with => 'none')`,
    )
    await client.query('vacuum (analyze)')
  })
}

