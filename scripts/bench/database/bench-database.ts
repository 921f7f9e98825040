import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type pg from 'pg'
import { generateData } from '../data/generate.js'
import type { Options } from '../options.js'
import { checkout } from '../paths.js'
import { connect, serverUrl, siblingUrl, withClient } from './connections.js'

const databaseName = 'workplace_bench'

/** Raise it when the generated data change. */
const dataVersion = 4

export interface BenchDatabase {
  url: string
  /** A connection of the benchmark itself. */
  client: pg.Client
}

/** Opens the database of an earlier run, or makes a new one if that has other data. */
export async function openBenchDatabase(options: Options): Promise<BenchDatabase> {
  const server = serverUrl()
  const url = siblingUrl(server, databaseName)
  const { events } = options
  const migrations = readdirSync(join(checkout, 'migrations')).sort()
  const parameters = JSON.stringify({ version: dataVersion, events, migrations })
  if (options.fresh || (await existingParameters(server, url)) !== parameters) {
    await createDatabase(server, url, parameters, options)
  }
  return { url, client: await connect(url) }
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
    // Last, so that the remains of an interrupted run are made again.
    await client.query('create table bench.data (parameters text)')
    await client.query('insert into bench.data values ($1)', [parameters])
  })
}

/** Runs the migrations of the service. */
export async function migrate(url: string): Promise<void> {
  const script = join(checkout, 'dist/scripts/migrate.js')
  const env = { PATH: process.env.PATH, DATABASE_URL: url }
  await promisify(execFile)(process.execPath, [script], { env })
}
