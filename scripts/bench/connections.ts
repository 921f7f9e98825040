import pg from 'pg'

/** DATABASE_URL, or what pg_virtualenv and psql go by. */
export function serverUrl(): string {
  const { DATABASE_URL, PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE } = process.env
  if (DATABASE_URL) return DATABASE_URL
  if (!PGHOST) {
    throw new Error(
      'The benchmark needs a PostgreSQL server: set DATABASE_URL=postgres://user@host/database\n' +
        `(it makes a database of its own there), or let Debian make a server for it:\n` +
        '  pg_virtualenv npm run bench',
    )
  }
  const url = new URL('postgres://localhost')
  if (PGHOST.startsWith('/')) url.searchParams.set('host', PGHOST)
  else url.hostname = PGHOST
  url.port = PGPORT ?? ''
  url.username = encodeURIComponent(PGUSER ?? 'postgres')
  url.password = encodeURIComponent(PGPASSWORD ?? '')
  url.pathname = `/${PGDATABASE ?? 'postgres'}`
  return url.href
}

/** Another database of the same server. */
export function siblingUrl(server: string, databaseName: string): string {
  const url = new URL(server)
  url.pathname = `/${databaseName}`
  return url.href
}

export async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'bench' })
  // A server that restarts while nothing is asked of it does not take the results along.
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

/** Does work with an empty database on each of the servers, and drops them whatever becomes of it. */
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
