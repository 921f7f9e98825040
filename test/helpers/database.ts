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
 * A database, dropped by `drop`: on the cluster that TEST_CITUS_URL names, on the server that
 * TEST_DATABASE_URL names, or else an embedded one in a new directory. It is empty, or already
 * migrated when that is faster. On a cluster it is distributed over the nodes.
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
