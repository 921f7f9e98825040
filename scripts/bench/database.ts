import { readdirSync } from 'node:fs'
import pg from 'pg'
import { migrateToLatest } from '../../src/database/migrate.js'
import { openDatabase } from '../../src/database/open.js'
import { generateData } from './data/generate.js'
import type { Options } from './options.js'

const databaseName = 'workplace_bench'

/** To be raised when the generated data change, so that older ones are not taken for them. */
const dataVersion = 2

export interface BenchDatabase {
  url: string
  /** A connection of the benchmark's own. */
  client: pg.Client
}

/** The benchmark's database with its data: as an earlier run left it, or made now. */
export async function openBenchDatabase(options: Options): Promise<BenchDatabase> {
  const server = serverUrl()
  const url = new URL(server)
  url.pathname = `/${databaseName}`
  const { events } = options
  const parameters = JSON.stringify({ version: dataVersion, events, migrations: migrations() })
  if (options.fresh || (await existingParameters(server, url.href)) !== parameters) {
    await createDatabase(server, url.href, parameters, options)
  }
  return { url: url.href, client: await connect(url.href) }
}

/** Data of another schema are not taken for those of this one either. */
function migrations(): string[] {
  const files = readdirSync(new URL('../../migrations', import.meta.url))
  return files.filter((file) => file.endsWith('.js')).sort()
}

/** DATABASE_URL, or what pg_virtualenv and psql go by. */
function serverUrl(): string {
  const { DATABASE_URL, PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE } = process.env
  if (DATABASE_URL) return DATABASE_URL
  if (!PGHOST) {
    throw new Error(
      'The benchmark needs a PostgreSQL server: set DATABASE_URL=postgres://user@host/database\n' +
        `(it makes its own database ${databaseName} there), or let Debian make a server for it:\n` +
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

async function existingParameters(server: string, url: string): Promise<string | null> {
  const found = await withClient(server, (client) =>
    client.query('select from pg_database where datname = $1', [databaseName]),
  )
  if (found.rowCount === 0) return null
  return withClient(url, async (client) => {
    const { rows } = await client.query(`select to_regclass('bench.data') is not null as is_there`)
    if (!rows[0].is_there) return null
    const data = await client.query<{ parameters: string }>('select parameters from bench.data')
    return data.rows[0]?.parameters ?? null
  })
}

async function createDatabase(server: string, url: string, parameters: string, options: Options) {
  await withClient(server, async (client) => {
    await client.query(`drop database if exists ${databaseName} with (force)`)
    await client.query(`create database ${databaseName}`)
  })
  await migrate(url)
  await withClient(url, async (client) => {
    await generateData(client, options.events)
    // Last, so that what an interrupted run leaves is not taken for the data.
    await client.query('create table bench.data (parameters text)')
    await client.query('insert into bench.data values ($1)', [parameters])
  })
}

async function migrate(databaseUrl: string): Promise<void> {
  const db = await openDatabase({ databaseUrl, dataDir: '', databasePoolMax: 1 }, (error) => {
    console.error(`Database: ${error.message}`)
  })
  await migrateToLatest(db)
  await db.destroy()
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'bench' })
  await client.connect()
  return client
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
