import { type KyselyPlugin, sql } from 'kysely'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { skipUnlessServer } from '../helpers/skips.js'
import { until } from '../helpers/until.js'

const service = await startService(t, {}, { isAlone: true })
const { app, db, call, registerAdmin, addMember } = service

const update = ({ token, organization_id }: Member, welcome_message: string) =>
  call('updateBranding', { token, params: { organization_id }, body: { welcome_message } })
const read = ({ token, organization_id }: Member) =>
  call('getBranding', { token, params: { organization_id } })

/** Returns the number of statements that wait for a lock. */
async function countWaitingForLock(): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length
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
    let isAnswered = false
    const waiting = preview(busy).then(({ status }) => {
      isAnswered = true
      return status
    })
    t.equal((await preview(other)).status, 200)
    t.equal(isAnswered, false, 'the organization already has two turns')
    for (const end of turns) end()
    t.equal(await waiting, 200)
  })

  t.test(
    'gets a connection while another organization waits for a row',
    { skip: skipUnlessServer },
    async (t) => {
      // A second admin of the organization whose row is locked.
      const second = await addMember(busy.organization_id, 'admin')
      let updates: Promise<unknown> = Promise.resolve()
      let isLocked = true
      await db.transaction().execute(async (trx) => {
        const { organization_id } = busy
        await sql`select from brandings where organization_id = ${organization_id} for update`.execute(
          trx,
        )
        const waiting = Array.from({ length: 20 }, (_, index) => update(second, `text ${index}`))
        updates = Promise.all(waiting).then(() => t.equal(isLocked, false))
        await until(async () => (await countWaitingForLock()) >= 6)
        for (let time = 0; time < 20; time++) t.equal((await read(other)).status, 200)
        t.equal((await update(other, 'Hello')).status, 200)
        isLocked = false
      })
      await updates
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
    const ids = [first, second].map(({ organization_id }) => organization_id)
    let updates: Promise<unknown> = Promise.resolve()
    await db.transaction().execute(async (trx) => {
      await sql`select from brandings where organization_id = any(${ids}) for update`.execute(trx)
      const given = await Promise.all([update(first, 'slow'), update(second, 'slow')])
      t.strictSame(
        given.map(({ status }) => status),
        [503, 503],
      )
      let answered = 0
      const waiting = [first, second].flatMap((one) =>
        Array.from({ length: 20 }, async () => {
          await update(one, 'slow again')
          answered++
        }),
      )
      updates = Promise.all(waiting)
      await until(async () => (await countWaitingForLock()) >= 4)
      for (let time = 0; time < 3; time++) t.equal((await read(other)).status, 200)
      t.equal(answered, 0, 'the updates are still waiting')
    })
    await updates
  },
)

t.test('A password is hashed while another organization has many in the queue', async (t) => {
  const { passwords } = app
  const done: string[] = []
  const hash = async (key: string) => {
    await passwords.hash('another password', key)
    done.push(key)
  }
  await Promise.all([...Array.from({ length: 40 }, () => hash('storm')), hash('other')])
  t.ok(done.indexOf('other') < 10, 'it does not wait for all earlier ones')
})
