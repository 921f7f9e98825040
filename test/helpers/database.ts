import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { openDatabase } from '../../src/database/open.js'
import type { Database } from '../../src/database/schema.js'

/**
 * An empty database: on the server that TEST_DATABASE_URL names, dropped by `drop`, or else an
 * embedded one in memory.
 */
export async function createDatabase(): Promise<{
  db: Kysely<Database>
  databaseUrl: string | null
  drop: () => Promise<void>
}> {
  const server = process.env.TEST_DATABASE_URL
  const pool = { dataDir: 'memory://', databasePoolMax: 10 }
  if (!server) {
    const db = await openDatabase({ ...pool, databaseUrl: null }, () => {})
    return { db, databaseUrl: null, drop: async () => {} }
  }
  const name = `test_${randomBytes(8).toString('hex')}`
  await runOn(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const db = await openDatabase({ ...pool, databaseUrl: url.href }, () => {})
  const drop = () => runOn(server, `drop database ${name} with (force)`)
  return { db, databaseUrl: url.href, drop }
}

async function runOn(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(statement)
  await client.end()
}
