import pg from 'pg'

/** Reads DATABASE_URL, or the variables that pg_virtualenv sets. */
export function serverUrl(): string {
  const { DATABASE_URL, PGHOST, PGPORT = '5432', PGUSER, PGPASSWORD } = process.env
  if (DATABASE_URL) return DATABASE_URL
  if (PGHOST) return `postgres://${PGUSER}:${PGPASSWORD}@${PGHOST}:${PGPORT}/postgres`
  throw new Error('Set DATABASE_URL=postgres://user@host/database, where databases can be made')
}

/** Returns the address of another database on the same server. */
export function siblingUrl(server: string, databaseName: string): string {
  const url = new URL(server)
  url.pathname = `/${databaseName}`
  return url.href
}

export async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'bench' })
  // A restart of the server while a connection is idle must not end the run.
  client.on('error', (error) => console.error(`PostgreSQL: ${error.message}`))
  await client.connect()
  return client
}

export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connect(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Runs work with an empty database on each of the servers, and drops them in any case. */
export async function withNewDatabases<T>(
  servers: readonly string[],
  name: string,
  work: (urls: string[]) => Promise<T>,
): Promise<T> {
  const onEach = async (statement: string) => {
    for (const server of servers) {
      await withClient(siblingUrl(server, 'postgres'), (client) => client.query(statement))
    }
  }
  const drop = `drop database if exists ${name} with (force)`
  try {
    await onEach(drop)
    await onEach(`create database ${name}`)
    return await work(servers.map((server) => siblingUrl(server, name)))
  } finally {
    await onEach(drop)
  }
}
