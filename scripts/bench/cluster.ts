import type pg from 'pg'
import { withClient, withNewDatabases } from './connections.js'

interface Node {
  nodename: string
  nodeport: number
  shouldhaveshards: boolean
}

/**
 * Does work with an empty database on the nodes of the cluster in which `citusUrl` is a database,
 * and drops it. Its addresses begin with that on the coordinator.
 */
export async function withClusterDatabase<T>(
  citusUrl: string,
  name: string,
  work: (urls: string[]) => Promise<T>,
): Promise<T> {
  const nodes = await selectNodes(citusUrl)
  const servers = nodes.map(({ nodename, nodeport }) => {
    const url = new URL(citusUrl)
    url.hostname = nodename
    url.port = String(nodeport)
    return url.href
  })
  return withNewDatabases(servers, name, async (urls) => {
    for (const url of urls) {
      await withClient(url, (client) => client.query('create extension citus'))
    }
    await withClient(urls[0] ?? '', (client) => joinNodes(client, nodes))
    return work(urls)
  })
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
