import { readdirSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import { removeHiddenRows } from '../../src/database/distribution.js'
import { migrateToLatest } from '../../src/database/migrate.js'
import { openDatabase } from '../../src/database/open.js'
import type { Database } from '../../src/database/schema.js'
import { connect, serverUrl, siblingUrl, withClient } from './connections.js'
import { generateData } from './data/generate.js'
import type { Options } from './options.js'

const databaseName = 'workplace_bench'

/** To be raised when the generated data change, so that older ones are not taken for them. */
const dataVersion = 3

export interface BenchDatabase {
  url: string
  /** A connection of the benchmark's own. */
  client: pg.Client
}

/** The benchmark's database with its data: as an earlier run left it, or made now. */
export async function openBenchDatabase(options: Options): Promise<BenchDatabase> {
  const server = serverUrl()
  const url = siblingUrl(server, databaseName)
  const { events } = options
  const parameters = JSON.stringify({ version: dataVersion, events, migrations: migrations() })
  if (options.fresh || (await existingParameters(server, url)) !== parameters) {
    await createDatabase(server, url, parameters, options)
  }
  return { url, client: await connect(url) }
}

/** Data of another schema are not taken for those of this one either. */
function migrations(): string[] {
  const files = readdirSync(new URL('../../migrations', import.meta.url))
  return files.filter((file) => file.endsWith('.js')).sort()
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
  await fillDatabase(url, options.events)
  await withClient(url, async (client) => {
    // Last, so that what an interrupted run leaves is not taken for the data.
    await client.query('create table bench.data (parameters text)')
    await client.query('insert into bench.data values ($1)', [parameters])
  })
}

/** Makes the schema and the data in an empty database. */
export async function fillDatabase(url: string, events: number): Promise<void> {
  await withDatabase(url, (db) => migrateToLatest(db))
  await withClient(url, (client) => generateData(client, events))
}

/** Spreads what is in the database on the coordinator over the nodes of its cluster. */
export async function spreadDatabase(url: string): Promise<void> {
  await withDatabase(url, async (db) => {
    await migrateToLatest(db, { isToSpread: true })
    await removeHiddenRows(db)
  })
  await withClient(url, (client) => client.query('vacuum (analyze)'))
}

async function withDatabase(
  databaseUrl: string,
  work: (db: Kysely<Database>) => Promise<unknown>,
): Promise<void> {
  const db = await openDatabaseOf({ databaseUrl, dataDir: '' })
  try {
    await work(db)
  } finally {
    await db.destroy()
  }
}

/** The database as the service opens it, for one connection. */
export function openDatabaseOf(place: { databaseUrl: string | null; dataDir: string }) {
  return openDatabase({ ...place, databasePoolMax: 1 }, (error) => {
    console.error(`Database: ${error.message}`)
  })
}
