import { sql } from 'kysely'
import { createId } from '../src/identifiers.js'
import { createDatabase } from './helpers/database.js'
import { insertEvents, tamper } from './helpers/events.js'
import { t } from './helpers/file.js'
import { person, send, start, stopEverything } from './helpers/process.js'
import { startReplicated } from './helpers/replicated.js'
import type { Member } from './helpers/service.js'
import { cannotReplicate } from './helpers/standby.js'
import { until } from './helpers/until.js'

t.test('Lists where there is a replica', { skip: cannotReplicate }, async (t) => {
  const { db, copy, primary, standby, detour, detourUrl, serve, catchUp, freeze, thaw } =
    await startReplicated(t)
  const service = await serve(t, detourUrl)
  const { call, turns, used, unused, registerAdmin, addMember } = service
  t.teardown(stopEverything)
  t.beforeEach(used)

  /** The admin of an organization that has not changed lately, as far as the service knows. */
  async function quietAdmin(): Promise<Member> {
    const admin = await registerAdmin()
    await tamper(db, (trx) =>
      trx
        .updateTable('audit_events')
        .set({ created_at: sql`created_at - interval '1 minute'` })
        .where('organization_id', '=', admin.organization_id)
        .execute(),
    )
    return admin
  }

  const countUsers = async ({ token }: Member, query: Record<string, string> = {}) => {
    const { body, headers } = await call('listUsers', { token, query })
    return { rows: body.length, total: Number(headers.get('x-total-count')) }
  }

  t.test('come from the replica, every one of them', async (t) => {
    const { token, organization_id } = await quietAdmin()
    const { user_id } = await addMember(organization_id, 'bot')
    const _id = createId()
    const row = { organization_id, _id, user_id }
    const request = { token, params: { organization_id, user_id } }
    const email = 'tom@example.com'
    const created_at = new Date(Date.now() - 60_000).toISOString()
    const expires_at = created_at
    const invitation = { ...row, email, role: 'employee' as const, expires_at }
    const apiKey = { ...row, name: 'Test', key_hash: 'hash', created_by: user_id }
    const event = { organization_id, _id, category: 'user', event_type: 'user_seen', created_at }
    await freeze()
    await addMember(organization_id, 'employee')
    await db.insertInto('invitations').values(invitation).execute()
    await db.insertInto('api_keys').values(apiKey).execute()
    await db
      .insertInto('channel_templates')
      .values({ organization_id, _id, channel_name: 'general' })
      .execute()
    await insertEvents(db, [event])

    const lists = ['listUsers', 'listInvitations', 'listApiKeys', 'listChannelTemplates'] as const
    const count = () =>
      Promise.all(
        [...lists, 'listAuditEvents' as const].map(async (operationId) => {
          return (await call(operationId, request)).body.length
        }),
      )
    t.strictSame(await count(), [2, 0, 1, 0, 2], 'without what was added after the freeze')
    await thaw()
    t.strictSame(await count(), [3, 1, 2, 1, 3])
  })

  t.test('come from the replica in pages and in pieces, and so does their length', async (t) => {
    const admin = await quietAdmin()
    const { organization_id } = admin
    const users = Array.from({ length: 249 }, (_, index) => {
      const _id = createId()
      const username = `user-${index}`
      return {
        _id,
        organization_id,
        username,
        email: `${_id}@example.com`,
        role: 'employee' as const,
      }
    })
    await db.insertInto('users').values(users).execute()
    await freeze()
    await addMember(organization_id, 'employee')
    t.strictSame(await countUsers(admin), { rows: 250, total: 250 })
    t.strictSame(await countUsers(admin, { limit: '1000' }), { rows: 250, total: 250 })
    t.strictSame(await countUsers(admin, { limit: '10' }), { rows: 10, total: 250 })
    await thaw()
    t.strictSame(await countUsers(admin), { rows: 251, total: 251 })
  })

  t.test('show at once what was just written in their organization', async (t) => {
    const [writer, other] = [await quietAdmin(), await quietAdmin()]
    await freeze()
    await addMember(other.organization_id, 'employee')
    const { token, organization_id } = writer
    const request = { token, params: { organization_id } }
    const names = { first_name: 'Tom', last_name: 'Herrera', email: `${createId()}@example.com` }
    await call('inviteMember', { ...request, body: names })
    t.strictSame(await countUsers(writer), { rows: 2, total: 2 })
    t.strictSame(await countUsers(writer, { limit: '5' }), { rows: 2, total: 2 })
    t.equal((await call('listInvitations', request)).body.length, 1)
    const [event] = (await call('listAuditEvents', request)).body
    t.equal(event.event_type, 'member_invited')
    t.equal((await countUsers(other)).rows, 1, 'others read from the replica meanwhile')
    await thaw()
  })

  t.test('show it to a super administrator who has changed another organization', async (t) => {
    const { organization_id: home } = await quietAdmin()
    const operator = await addMember(home, 'super_admin')
    const { token } = operator
    const [changed, other] = [await quietAdmin(), await quietAdmin()]
    await freeze()
    for (const { organization_id } of [changed, other]) await addMember(organization_id, 'employee')
    const params = { user_id: changed.user_id }
    await call('updateUser', { token, params, body: { full_name: 'Ada Lovelace' } })
    const listOf = async ({ organization_id }: Member) =>
      (await call('listUsers', { token, query: { organization_id } })).body
    const users = await listOf(changed)
    t.equal(users.length, 2)
    t.equal(users[0].full_name, 'Ada Lovelace')
    t.equal((await listOf(other)).length, 1)

    const template = { organization_id: other.organization_id, _id: createId() }
    const channel_name = template._id
    await db
      .insertInto('channel_templates')
      .values({ ...template, channel_name })
      .execute()
    const { body } = await call('listChannelTemplates', { token })
    const names = body.map((template: { channel_name: string }) => template.channel_name)
    t.ok(names.includes(channel_name), 'of all organizations the primary has the templates')
    await thaw()
  })

  t.test('come from the primary when the replica is more than 5 s behind', async (t) => {
    const admin = await quietAdmin()
    const before = turns().length
    await freeze()
    await addMember(admin.organization_id, 'employee')
    t.equal((await countUsers(admin)).rows, 1)
    await until(async () => (await countUsers(admin)).rows === 2)
    await unused()
    await thaw()
    await used()
    const [left, back] = turns().slice(before)
    t.match(left, { level: 40, err: { message: 'the replica is more than 5 s behind' } })
    t.match(back, { level: 30 })
    t.equal(turns().length, before + 2, 'each turn is logged once')
  })

  t.test('are complete while the replica is stopped, and from it afterwards', async (t) => {
    const admin = await quietAdmin()
    await standby.stop()
    t.strictSame(await countUsers(admin), { rows: 1, total: 1 })
    await unused()
    t.strictSame(await countUsers(admin), { rows: 1, total: 1 })
    await standby.start()
    await used()
    await freeze()
    await addMember(admin.organization_id, 'employee')
    t.equal((await countUsers(admin)).rows, 1)
    await thaw()
  })

  t.test('do not hang with the replica', async (t) => {
    t.teardown(detour.goOn)
    const admin = await quietAdmin()
    detour.hang()
    t.strictSame(await countUsers(admin), { rows: 1, total: 1 })
    t.match(turns().at(-1), { level: 40, err: { message: /^the replica did not answer within/ } })
    detour.goOn()
    await used()
  })

  t.test('come from the primary where the replica answers and refuses to read them', async (t) => {
    await sql`create role stranger login`.execute(db)
    await catchUp()
    const url = new URL(standby.url)
    url.username = 'stranger'
    const strange = await serve(t, url.href)
    await strange.used()
    const { token } = await quietAdmin()
    for (let time = 1; time <= 2; time++) {
      t.equal((await strange.call('listUsers', { token })).body.length, 1)
    }
    const refusals = strange.log.map((line) => JSON.parse(line)).filter(({ err }) => err)
    t.match(refusals[0], { level: 40, err: { message: 'permission denied for table users' } })
    t.equal(strange.turns().length, 1, 'which is not a matter of the replica as a whole')
  })

  t.test('come from the primary where the replica is one of another database', async (t) => {
    const url = new URL(standby.url)
    url.pathname = '/template1'
    const strange = await serve(t, url.href)
    await strange.unused()
    const { token } = await quietAdmin()
    t.equal((await strange.call('listUsers', { token })).body.length, 1)
    t.match(strange.turns(), [{ err: { message: 'the replica is a copy of another database' } }])
  })

  t.test('come from the primary where the replica has never been there', async (t) => {
    const lonely = await serve(t, 'postgres://postgres@127.0.0.1:1/postgres')
    const { token } = await quietAdmin()
    t.equal((await lonely.call('listUsers', { token })).body.length, 1)
    await until(() => lonely.turns().length > 0)
    t.match(lonely.turns(), [{ level: 40, err: { code: 'ECONNREFUSED' } }])
  })

  t.test('come from the primary where the replica follows another one', async (t) => {
    const { db: other, drop } = await createDatabase({ isMigrated: true })
    t.teardown(async () => {
      await other.destroy()
      await drop()
    })
    const moved = await serve(t, standby.url, other)
    await moved.unused()
    t.match(moved.turns(), [{ err: { message: 'the replica is a copy of another database' } }])
  })

  t.test('answer in a service that starts and stops while the replica hangs', async (t) => {
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
    await unused()
    await tamper(copy, (trx) => trx.deleteFrom('audit_events').execute())
    await copy.deleteFrom('sessions').execute()
    t.match(turns().at(-1), { err: { message: 'the replica does not follow a primary' } })
    const { organization_id, token } = admin
    t.equal((await call('listAuditEvents', { token, params: { organization_id } })).body.length, 2)
  })
})
