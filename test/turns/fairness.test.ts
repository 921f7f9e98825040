import { availableParallelism } from 'node:os'
import { type KyselyPlugin, sql } from 'kysely'
import type { Db } from '../../src/database/schema.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { skipUnlessServer } from '../helpers/skips.js'
import { until, untilServed } from '../helpers/until.js'

const service = await startService(t, {}, { isAlone: true })
const { app, db, call, registerAdmin, addMember } = service

const update = ({ token, organization_id }: Member, welcome_message: string) =>
  call('updateBranding', { token, params: { organization_id }, body: { welcome_message } })
const read = ({ token, organization_id }: Member) =>
  call('getBranding', { token, params: { organization_id } })

/** Locks the brandings of organizations until a transaction ends. */
async function lock(trx: Db, members: Member[]): Promise<void> {
  const ids = members.map(({ organization_id }) => organization_id)
  await sql`select from brandings where organization_id = any(${ids}) for update`.execute(trx)
}

/** Returns the number of statements that wait for a lock, as a transaction sees it now. */
async function countWaitingForLock(trx: Db): Promise<number> {
  await sql`select pg_stat_clear_snapshot()`.execute(trx)
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(trx)
  return rows.length
}

/** All slow organizations together have half of the ten connections. */
const mostSlow = 5
/** One organization leaves two of the ten connections. The transaction of a test has one. */
const mostOfOne = 7

/**
 * Makes members write many times what a transaction has locked. Meanwhile another organization reads and
 * writes. Returns the largest number of writes that have waited for the lock at the same time.
 */
async function crowd(trx: Db, busy: Member[], other: Member) {
  // Each write is refused after 3 s at the latest, and tried again while the lock is held.
  const writes = busy.flatMap((one) =>
    Array.from({ length: 20 }, (_, index) => untilServed(() => update(one, `text ${index}`))),
  )
  let largest = 0
  const look = async () => {
    largest = Math.max(largest, await countWaitingForLock(trx))
    return largest
  }
  await until(async () => (await look()) >= mostSlow)
  for (let time = 0; time < 20; time++) {
    await untilServed(() => read(other))
    await look()
  }
  await untilServed(() => update(other, 'Hello'))
  return { largest, written: Promise.all(writes) }
}

t.test('A request', async (t) => {
  const [busy, other] = [await registerAdmin(), await registerAdmin()]

  t.test('takes connections in turns of its organization or its address', async (t) => {
    const keys: string[] = []
    const { dbOf } = app
    app.dbOf = (key) => {
      keys.push(key)
      return dbOf(key)
    }
    t.teardown(() => {
      app.dbOf = dbOf
    })
    await read(busy)
    await call('login', { body: { email: other.email, password: other.password } })
    t.strictSame([...new Set(keys)], [busy.organization_id, '127.0.0.1'])
  })

  t.test('takes connections in these turns when it counts the usage', async (t) => {
    let counts = 0
    const plugin: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        counts += result.rows.filter((row) => 'used' in row).length
        return result
      },
    }
    const { dbOf } = app
    app.dbOf = (key) => (key === busy.organization_id ? dbOf(key).withPlugin(plugin) : dbOf(key))
    t.teardown(() => {
      app.dbOf = dbOf
    })
    const { token, organization_id } = busy
    await call('getUsage', { token, params: { organization_id } })
    t.ok(counts > 5)
  })

  t.test('renders setups in turns of its organization', async (t) => {
    const preview = ({ token }: Member) => call('previewQuickSetup', { token, body: {} })
    const turns = [
      await app.renderings.take(busy.organization_id),
      await app.renderings.take(busy.organization_id),
    ]
    const waiting = untilServed(() => preview(busy))
    await until(() => app.renderings.queued === 1)
    t.equal((await preview(other)).status, 200)
    for (const end of turns) end()
    t.equal((await waiting).status, 200)
  })

  t.test(
    'gets a connection while another organization waits for a row',
    { skip: skipUnlessServer },
    async (t) => {
      // A second admin of the organization whose row is locked, who has not had to wait yet.
      const locked = await registerAdmin()
      const second = await addMember(locked.organization_id, 'admin')
      await update(second, 'Hello')
      const { largest, written } = await db.transaction().execute(async (trx) => {
        await lock(trx, [locked])
        return crowd(trx, [second], other)
      })
      t.ok(largest <= mostOfOne, `${largest} connections`)
      for (const { status } of await written) t.equal(status, 200)
    },
  )
})

t.test(
  'Organizations with slow requests leave connections to others',
  { skip: skipUnlessServer },
  async (t) => {
    const [first, second, other] = [
      await registerAdmin(),
      await registerAdmin(),
      await registerAdmin(),
    ]
    const { largest, written } = await db.transaction().execute(async (trx) => {
      await lock(trx, [first, second])
      const refused = await Promise.all([update(first, 'slow'), update(second, 'slow')])
      t.strictSame(
        refused.map(({ status }) => status),
        [503, 503],
      )
      return crowd(trx, [first, second], other)
    })
    t.equal(largest, mostSlow)
    for (const { status } of await written) t.equal(status, 200)
  },
)

t.test('A password is hashed while another organization has many in the queue', async (t) => {
  const { passwords } = app
  const done: string[] = []
  const hash = async (key: string) => {
    await passwords.hash('another password', key)
    done.push(key)
  }
  // As many as there are cores begin at once. The storm is shorter than the queue.
  const cores = availableParallelism()
  const storm = Array.from({ length: cores + 60 }, () => hash('storm'))
  await Promise.all([...storm, hash('other')])
  t.ok(done.indexOf('other') < cores + 30, 'it does not wait for all earlier ones')
})
