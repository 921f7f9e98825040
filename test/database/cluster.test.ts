import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { distribution } from '../../src/database/distribution.js'
import { createMigrator, migrateToLatest } from '../../src/database/migrate.js'
import { openDatabase } from '../../src/database/open.js'
import { addressOf, createEmpty, distribute, findNodes, queryOn } from '../helpers/cluster.js'
import { t } from '../helpers/file.js'
import { person, send, start, stopEverything } from '../helpers/process.js'
import { skipEmbedded, skipUnlessCluster } from '../helpers/skips.js'

t.teardown(stopEverything)

const { TEST_CITUS_URL: cluster = '', TEST_DATABASE_URL: server } = process.env
const script = fileURLToPath(new URL('../../scripts/distribute.js', import.meta.url))
const tables = Object.keys(distribution)
/** The tables whose rows are spread over nodes, each with the column that decides the node. */
const spreadKeys = Object.fromEntries(
  Object.entries(distribution).filter(([, key]) => key !== null),
)

/** Runs `npm run distribute` on a database. Returns its output and whether it succeeds. */
async function runDistribute(DATABASE_URL: string) {
  const env = { PATH: process.env.PATH, DATABASE_URL }
  return promisify(execFile)(process.execPath, [script], { env }).then(
    ({ stdout }) => ({ isDone: true, output: stdout }),
    ({ stderr }) => ({ isDone: false, output: String(stderr) }),
  )
}

const refused = (output: string) => ({ isDone: false, output: `Not distributed: ${output}\n` })

t.test('npm run distribute refuses', async (t) => {
  t.test('the embedded database', async (t) => {
    const message = 'DATABASE_URL must name the coordinator of a cluster.'
    t.strictSame(await runDistribute(''), refused(message))
  })

  t.test('a server without Citus', { skip: skipEmbedded }, async (t) => {
    const url = new URL(server || cluster)
    url.pathname = '/postgres'
    const { isDone, output } = await runDistribute(url.href)
    t.equal(isDone, false)
    t.match(output, /^Not distributed: The database has no Citus\. .*"create extension citus"/)
  })
})

const open = async (t: Pick<Test, 'teardown'>, databaseUrl: string) => {
  const db = await openDatabase({ databaseUrl, dataDir: '', databasePoolMax: 2 }, () => {})
  t.teardown(() => db.destroy())
  return db
}

const startOn = (t: Test, DATABASE_URL: string) => start({ DATABASE_URL, DATA_DIR: t.testdir() })

const spreadTables = async (url: string) =>
  queryOn<{ table: string; key: string; group: number }>(
    url,
    `select logicalrelid::text as table, column_to_column_name(logicalrelid, partkey) as key,
      colocationid as "group" from pg_dist_partition where partkey is not null`,
  )

t.test('npm run distribute', { skip: skipUnlessCluster }, async (t) => {
  const { coordinator, workers } = await findNodes(cluster)
  t.test('refuses a coordinator that knows no nodes', async (t) => {
    const { url } = await createEmpty(t, cluster, { coordinator, workers: [] })
    const { isDone, output } = await runDistribute(url)
    t.equal(isDone, false)
    t.match(output, /^Not distributed: The cluster has no node .*citus_add_node/)
    t.strictSame(await queryOn(url, 'select from pg_class where relname = $1', ['users']), [])
  })

  t.test('refuses a worker', async (t) => {
    const { name } = await createEmpty(t, cluster)
    const [worker = coordinator] = workers
    const answer = await runDistribute(addressOf(cluster, worker, name))
    t.strictSame(answer, refused('The database is on a worker. Name the coordinator instead.'))
  })

  t.test('refuses a table that is distributed differently', async (t) => {
    const { name, url } = await createEmpty(t, cluster)
    const db = await open(t, url)
    await migrateToLatest(db)
    const [worker = coordinator] = workers
    const service = await startOn(t, addressOf(cluster, worker, name)).exit
    t.equal(service.code, 1)
    t.match(service.output, 'The tables are not distributed over the cluster.')
    await queryOn(url, `select create_reference_table('email_registry')`)
    const { isDone, output } = await runDistribute(url)
    t.equal(isDone, false)
    t.match(output, 'Not distributed: email_registry is distributed by copies, not by email.')
  })

  t.test('distributes an empty database, and does nothing the second time', async (t) => {
    const { url } = await createEmpty(t, cluster)
    const first = await runDistribute(url)
    for (const [table, key] of Object.entries(distribution)) {
      const wanted = key ? `Distributed ${table} by ${key}` : `Copied ${table} to every node`
      t.match(first.output, `${wanted}\n`)
    }
    const done = `${tables.length} tables are distributed over ${workers.length} nodes.\n`
    t.ok(first.output.endsWith(done))
    t.strictSame(await runDistribute(url), { isDone: true, output: done })

    const spread = await spreadTables(url)
    t.strictSame(Object.fromEntries(spread.map(({ table, key }) => [table, key])), spreadKeys)
    const ofOrganizations = spread.filter(({ key }) => key === 'organization_id' || key === '_id')
    t.equal(new Set(ofOrganizations.map(({ group }) => group)).size, 1)
  })

  t.test('lets the service start on any node, but migrate only on the coordinator', async (t) => {
    const { name, url } = await createEmpty(t, cluster)
    const [worker = coordinator] = workers
    const onWorker = addressOf(cluster, worker, name)
    await runDistribute(url)
    const service = startOn(t, onWorker)
    const base = await service.address()
    const { status, body } = await send(base, '/auth/register', person('ada@worker.example'))
    t.equal(status, 201)
    t.match(await send(base, '/users', undefined, body.access_token), {
      body: [{ role: 'admin' }],
    })

    const db = await open(t, url)
    await createMigrator(db).migrateDown()
    const { code, output } = await startOn(t, onWorker).exit
    t.equal(code, 1)
    t.match(output, 'The schema is not the newest. Migrate on the coordinator first.')
    await startOn(t, url).address()
    await startOn(t, onWorker).address()
  })

  t.test('distributes existing rows, and resumes after an interruption', async (t) => {
    const { url } = await createEmpty(t, cluster)
    const before = startOn(t, url)
    const { body: ada } = await send(
      await before.address(),
      '/auth/register',
      person('a@b.example'),
    )
    before.process.kill('SIGTERM')
    await before.exit
    const counts = async () => {
      const all = tables.map((table) => `select '${table}' as name, count(*)::int from ${table}`)
      return queryOn(url, `${all.join(' union all ')} order by name`)
    }
    const rows = await counts()

    const stoppedAfter = tables.slice(0, 6)
    for (const table of stoppedAfter) {
      const key = Reflect.get(distribution, table)
      const colocated = key === '_id' ? 'none' : 'organizations'
      await queryOn(url, 'select create_distributed_table($1, $2, colocate_with => $3)', [
        table,
        key,
        colocated,
      ])
    }
    const { isDone, output } = await runDistribute(url)
    t.ok(isDone, output)
    for (const table of tables) {
      const isNew = new RegExp(`(Distributed|Copied) ${table} `).test(output)
      t.equal(isNew, !stoppedAfter.includes(table), table)
    }
    t.strictSame(await counts(), rows, 'no row is lost or duplicated')
    t.equal((await spreadTables(url)).length, Object.keys(spreadKeys).length)
    const [left] = await queryOn<{ bytes: number }>(
      url,
      `select sum(pg_relation_size(logicalrelid))::int as bytes from pg_dist_partition`,
    )
    t.equal(left?.bytes, 0, 'no row stays on the coordinator')

    const after = startOn(t, url)
    const base = await after.address()
    const users = await send(base, '/users', undefined, ada.access_token)
    t.equal(users.status, 401, 'the new process has a new secret for tokens')
    const { email, password } = person('a@b.example')
    t.equal((await send(base, '/auth/login', { email, password })).status, 200)
    t.equal((await send(base, '/auth/register', person('A@b.example'))).status, 409)
  })
})

t.test('Migrations on a cluster', { skip: skipUnlessCluster }, async (t) => {
  const { url } = await createEmpty(t, cluster)
  await distribute(url)
  const db = await open(t, url)
  const all = (await createMigrator(db).getMigrations()).map(({ name }) => name)

  t.test('can be undone one by one, and repeated', async (t) => {
    for (const name of all.slice(0, -1).toReversed()) {
      const { error } = await createMigrator(db).migrateTo(name)
      t.equal(error, undefined, `undoes the migration after ${name}`)
    }
    await migrateToLatest(db)
    const spread = await spreadTables(url)
    t.strictSame(
      Object.fromEntries(spread.map(({ table, key }) => [table, key])),
      spreadKeys,
      'each migration distributes its tables again',
    )
  })
})
