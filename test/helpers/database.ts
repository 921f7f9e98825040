import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { openDatabase } from '../../src/database/open.js'
import type { Database } from '../../src/database/schema.js'
import {
  createOnCluster,
  distribute,
  dropOnCluster,
  findNodes,
  newDatabaseName,
  queryOn,
} from './cluster.js'
import { copyDatabase } from './embedded-template.js'

/**
 * Creates a database on the cluster in TEST_CITUS_URL, on the server in TEST_DATABASE_URL, or else
 * an embedded one in a new directory. It is empty. With `isMigrated` an embedded database is
 * already migrated, because that is faster, and on a cluster it is migrated and distributed.
 */
export async function createDatabase({ isMigrated = false } = {}): Promise<{
  db: Kysely<Database>
  databaseUrl: string | null
  drop: () => Promise<void>
}> {
  const { TEST_CITUS_URL: cluster, TEST_DATABASE_URL: server } = process.env
  const name = newDatabaseName()
  if (cluster) return createDistributedDatabase(cluster, name, isMigrated)
  if (!server) return createEmbeddedDatabase(isMigrated)
  await queryOn(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const drop = async () => void (await queryOn(server, `drop database ${name} with (force)`))
  return { db: await openOn(url.href), databaseUrl: url.href, drop }
}

const openOn = (databaseUrl: string) =>
  openDatabase({ databaseUrl, dataDir: '', databasePoolMax: 10 }, () => {})

async function createDistributedDatabase(cluster: string, name: string, isMigrated: boolean) {
  const nodes = await findNodes(cluster)
  const databaseUrl = await createOnCluster(cluster, name, nodes)
  if (isMigrated) await distribute(databaseUrl)
  const drop = () => dropOnCluster(cluster, name, nodes)
  return { db: await openOn(databaseUrl), databaseUrl, drop }
}

async function createEmbeddedDatabase(isMigrated: boolean) {
  const dataDir = mkdtempSync(join(tmpdir(), 'embedded-'))
  await copyDatabase(dataDir, { isMigrated })
  const db = await openDatabase({ dataDir, databaseUrl: null, databasePoolMax: 1 }, () => {})
  const drop = async () => rmSync(dataDir, { recursive: true, force: true })
  return { db, databaseUrl: null, drop }
}
