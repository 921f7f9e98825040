import { sql } from 'kysely'
import { createDatabase } from '../helpers/database.js'
import { tamper } from '../helpers/events.js'
import { t } from '../helpers/file.js'
import { person, send, start, stopEverything } from '../helpers/process.js'
import { startReplicated } from '../helpers/replicated.js'
import { cannotReplicate } from '../helpers/standby.js'
import { until } from '../helpers/until.js'

t.test('Lists while the replica is unavailable', { skip: cannotReplicate }, async (t) => {
  const { db, copy, primary, standby, detour, detourUrl, serve, catchUp, freeze, thaw } =
    await startReplicated(t)
  const service = await serve(t, detourUrl)
  const { call, switches, untilUsed, untilUnused, quietAdmin, countUsers, addMember } = service
  t.teardown(stopEverything)
  t.beforeEach(untilUsed)

  t.test('come from the primary when the replica is more than 5 s behind', async (t) => {
    const admin = await quietAdmin()
    const before = switches().length
    await freeze()
    await addMember(admin.organization_id, 'employee')
    t.equal((await countUsers(admin)).rows, 1)
    await until(async () => (await countUsers(admin)).rows === 2)
    await untilUnused()
    await thaw()
    await untilUsed()
    const [left, back] = switches().slice(before)
    t.match(left, { level: 40, err: { message: 'the replica is more than 5 s behind' } })
    t.match(back, { level: 30 })
    t.equal(switches().length, before + 2, 'each switch is logged once')
  })

  t.test('are complete while the replica is stopped, and later come from it', async (t) => {
    const admin = await quietAdmin()
    await standby.stop()
    t.strictSame(await countUsers(admin), { rows: 1, total: 1 })
    await untilUnused()
    t.strictSame(await countUsers(admin), { rows: 1, total: 1 })
    await standby.start()
    await untilUsed()
    await freeze()
    await addMember(admin.organization_id, 'employee')
    t.equal((await countUsers(admin)).rows, 1)
    await thaw()
  })

  t.test('do not hang when the replica hangs', async (t) => {
    t.teardown(detour.goOn)
    const admin = await quietAdmin()
    detour.hang()
    t.strictSame(await countUsers(admin), { rows: 1, total: 1 })
    t.match(switches().at(-1), {
      level: 40,
      err: { message: /^the replica did not answer within/ },
    })
    detour.goOn()
    await untilUsed()
  })

  t.test('come from the primary when the replica refuses to read them', async (t) => {
    await sql`create role stranger login`.execute(db)
    await catchUp()
    const url = new URL(standby.url)
    url.username = 'stranger'
    const strange = await serve(t, url.href)
    await strange.untilUsed()
    const { token } = await quietAdmin()
    for (let time = 1; time <= 2; time++) {
      t.equal((await strange.call('listUsers', { token })).body.length, 1)
    }
    const refusals = strange.log.map((line) => JSON.parse(line)).filter(({ err }) => err)
    t.match(refusals[0], { level: 40, err: { message: 'permission denied for table users' } })
    t.equal(strange.switches().length, 1, 'the service still uses the replica')
  })

  t.test('come from the primary when the replica has another database', async (t) => {
    const url = new URL(standby.url)
    url.pathname = '/template1'
    const strange = await serve(t, url.href)
    await strange.untilUnused()
    const { token } = await quietAdmin()
    t.equal((await strange.call('listUsers', { token })).body.length, 1)
    t.match(strange.switches(), [{ err: { message: 'the replica is a copy of another database' } }])
  })

  t.test('come from the primary when the replica has never existed', async (t) => {
    const lonely = await serve(t, 'postgres://postgres@127.0.0.1:1/postgres')
    const { token } = await quietAdmin()
    t.equal((await lonely.call('listUsers', { token })).body.length, 1)
    await until(() => lonely.switches().length > 0)
    t.match(lonely.switches(), [{ level: 40, err: { code: 'ECONNREFUSED' } }])
  })

  t.test('come from the primary when the replica follows another primary', async (t) => {
    const { db: other, drop } = await createDatabase({ isMigrated: true })
    t.teardown(async () => {
      await other.destroy()
      await drop()
    })
    const moved = await serve(t, standby.url, other)
    await moved.untilUnused()
    t.match(moved.switches(), [{ err: { message: 'the replica is a copy of another database' } }])
  })

  t.test('are answered by a service that starts and stops while the replica hangs', async (t) => {
    t.teardown(detour.goOn)
    detour.hang()
    const urls = { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: detourUrl }
    const alone = start({ ...urls, DATA_DIR: t.testdir() })
    const base = await alone.address()
    const { body: admin } = await send(base, '/auth/register', person('ada@hang.example'))
    const { body } = await send(base, '/users', undefined, admin.access_token)
    t.equal(body.length, 1)
    await alone.says(/"(lists are not read from the replica)"/)
    alone.process.kill('SIGTERM')
    t.match(await alone.exit, { code: 0 })
  })

  t.test('come from the primary when the replica was promoted', async (t) => {
    const admin = await quietAdmin()
    await catchUp()
    await standby.promote()
    await untilUnused()
    await tamper(copy, (trx) => trx.deleteFrom('audit_events').execute())
    await copy.deleteFrom('login_sessions').execute()
    t.match(switches().at(-1), { err: { message: 'the replica does not follow a primary' } })
    const { organization_id, token } = admin
    t.equal((await call('listAuditEvents', { token, params: { organization_id } })).body.length, 2)
  })
})
