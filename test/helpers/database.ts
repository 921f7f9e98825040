import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { openDatabase } from '../../src/database/open.js'
import type { Database } from '../../src/database/schema.js'
import { copyDatabase } from './embedded-template.js'

/**
 * An empty database, dropped by `drop`: on the server that TEST_DATABASE_URL names, or else an
 * embedded one in a directory of its own, which may be migrated already.
 */
export async function createDatabase({ isMigrated = false } = {}): Promise<{
  db: Kysely<Database>
  databaseUrl: string | null
  drop: () => Promise<void>
}> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) return createEmbeddedDatabase(isMigrated)
  const pool = { dataDir: '', databasePoolMax: 10 }
  const name = `test_${randomBytes(8).toString('hex')}`
  await runOn(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const db = await openDatabase({ ...pool, databaseUrl: url.href }, () => {})
  const drop = () => runOn(server, `drop database ${name} with (force)`)
  return { db, databaseUrl: url.href, drop }
}

async function createEmbeddedDatabase(isMigrated: boolean) {
  const dataDir = mkdtempSync(join(tmpdir(), 'embedded-'))
  await copyDatabase(dataDir, { isMigrated })
  const db = await openDatabase({ dataDir, databaseUrl: null, databasePoolMax: 1 }, () => {})
  const drop = async () => rmSync(dataDir, { recursive: true, force: true })
  return { db, databaseUrl: null, drop }
}

async function runOn(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(statement)
  await client.end()
}
