import { sealTrail } from '../../src/audit-events/sealing/seal.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { auditEvents, type Member, startOn, startService } from '../helpers/service.js'
import { skipEmbedded } from '../helpers/skips.js'
import { openStage } from '../helpers/stage.js'
import { rowsWritten } from '../helpers/templates.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { app, call, db, databaseUrl, url, registerAdmin, addMember } = service

const exceeded = (quota: string, used: number, allowed: number) => ({
  status: 409,
  body: { code: 'quota_exceeded', quota, used, allowed },
})

t.test('A limit of session_messages', async (t) => {
  t.test('applies to all authors, and allows a message to be repeated', async (t) => {
    const { admin, organization_id, ben, cleo, play, post } = await openStage(service)
    await setLimits(db, organization_id, { session_messages: 2 })
    const session = await play()
    const opening = { client_message_id: 'first', content: 'Good morning' }
    const first = await post(ben, session, opening)
    t.equal((await post(cleo, session)).status, 201)
    const before = await rowsWritten(db, organization_id)
    for (const one of [ben, cleo, admin]) {
      const fields = one === admin ? { as_character_id: session.home } : {}
      t.match(await post(one, session, fields), exceeded('session_messages', 2, 2))
    }
    const again = await post(ben, session, opening)
    t.strictSame(again.body, first.body)
    t.strictSame(await rowsWritten(db, organization_id), before)
    t.equal((await post(ben, await play())).status, 201, 'each session has its own limit')
  })
})

t.test('A limit of participant_messages_per_minute', async (t) => {
  t.test('applies to each user in each session', async (t) => {
    const { organization_id, ben, cleo, play, post } = await openStage(service)
    await setLimits(db, organization_id, { participant_messages_per_minute: 2 })
    const session = await play()
    for (const client_message_id of ['a', 'b', 'b']) {
      const message = { client_message_id, content: 'Good morning' }
      t.equal((await post(ben, session, message)).status, 201)
    }
    const before = await rowsWritten(db, organization_id)
    t.match(await post(ben, session), exceeded('participant_messages_per_minute', 2, 2))
    t.strictSame(await rowsWritten(db, organization_id), before)
    t.equal((await post(cleo, session)).status, 201)
    t.equal((await post(ben, await play())).status, 201)
  })
})

t.test('A limit of streams', async (t) => {
  t.test('applies to open streams, separately for each organization', async (t) => {
    const { organization_id, ben, cleo, play } = await openStage(service)
    await setLimits(db, organization_id, { streams: 1 })
    const session = await play()
    const stream = await openEvents(url, ben, session._id)
    const { token } = cleo
    const open = () => call('streamSessionEvents', { token, params: session.params })
    t.match(await open(), exceeded('streams', 1, 1))
    const other = await openStage(service)
    const theirs = await openEvents(url, other.ben, (await other.play())._id)
    t.equal(theirs.response.status, 200)
    await theirs.leave()
    await stream.leave()
    await until(() => app.usage.concurrency.used(organization_id, 'streams') === 0)
    const next = await openEvents(url, cleo, session._id)
    t.equal(next.response.status, 200, 'after one has ended')
    await next.leave()
  })
})

t.test('A limit of exports', async (t) => {
  t.test('applies to every kind of export, and a finished export makes room', async (t) => {
    const { admin, organization_id, play } = await openStage(service)
    await setLimits(db, organization_id, { exports: 1 })
    const { params } = await play()
    const { token } = admin
    const ofOrganization = { token, params: { organization_id } }
    const all = {
      exportSession: { token, params },
      exportAuditEvents: ofOrganization,
      verifyAuditTrail: ofOrganization,
      exportChannelTemplates: { token, query: { format: 'json' } },
    } as const
    const release = app.usage.concurrency.take(organization_id, 'exports', 1)
    const before = await rowsWritten(db, organization_id)
    for (const [id, options] of Object.entries(all)) {
      const answer = await call(id as keyof typeof all, options)
      t.match(answer, exceeded('exports', 1, 1), id)
    }
    t.strictSame(await rowsWritten(db, organization_id), before)
    release()
    for (const [id, options] of Object.entries(all)) {
      t.equal((await call(id as keyof typeof all, options)).status, 200, id)
      await until(() => app.usage.concurrency.used(organization_id, 'exports') === 0)
    }
    await call('exportSession', { token, params: { session_id: 'none' } })
    await until(() => app.usage.concurrency.used(organization_id, 'exports') === 0)
  })

  t.test('leaves room for others: a person has two at once', async (t) => {
    const { token, organization_id, user_id } = await registerAdmin()
    const other = await addMember(organization_id, 'admin')
    const verify = (as: Pick<Member, 'token'>) =>
      call('verifyAuditTrail', { token: as.token, params: { organization_id } })
    const { concurrency } = app.usage
    const takes = t.capture(concurrency, 'take', concurrency.take)
    t.equal((await verify({ token })).status, 200)
    t.strictSame(
      takes().map(({ args }) => args[0]),
      [user_id, organization_id],
    )
    await until(() => concurrency.used(user_id, 'exports') === 0)
    const releases = [1, 2].map(() => concurrency.take(user_id, 'exports', 2))
    const refused = await verify({ token })
    t.match([refused.status, refused.body.code], [429, 'rate_limited'])
    t.equal(refused.headers.get('retry-after'), '1')
    t.equal((await verify(other)).status, 200)
    for (const release of releases) release()
    t.equal((await verify({ token })).status, 200)
  })

  t.test('does not count an export that the caller aborts', async (t) => {
    const { token, organization_id } = await registerAdmin()
    const leaving = new AbortController()
    const path = `${url}/api/v1/admin/simulation/audit-events/${organization_id}/export`
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(path, { headers, signal: leaving.signal })
    t.equal(response.status, 200)
    leaving.abort()
    await response.text().catch(() => '')
    await until(() => app.usage.concurrency.used(organization_id, 'exports') === 0)
  })
})

t.test('A limit of events_per_day', async (t) => {
  const rename = ({ token, organization_id }: Member) =>
    call('updateOrganization', {
      ...{ token, params: { organization_id }, body: { name: `Acme ${Math.random()}` } },
    })

  /** Registers an organization, and renames it until its events of the day are used up. */
  async function useUp() {
    const admin = await registerAdmin()
    const { length } = await auditEvents(call, admin)
    await setLimits(db, admin.organization_id, { events_per_day: length + 1 })
    await until(async () => (await rename(admin)).status === 409)
    return admin
  }

  t.test('refuses every operation that would record something, and changes nothing', async (t) => {
    const admin = await useUp()
    const { token, organization_id } = admin
    const before = await rowsWritten(db, organization_id)
    const answer = await rename(admin)
    const { used, allowed } = answer.body
    t.match(answer, exceeded('events_per_day', used, 3))
    t.ok(used >= allowed)
    const query = { format: 'csv' }
    const file = await call('exportAuditEvents', { token, params: { organization_id }, query })
    t.equal(file.body.quota, 'events_per_day')
    t.strictSame(await rowsWritten(db, organization_id), before)
    await until(() => app.usage.concurrency.used(organization_id, 'exports') === 0)
  })

  t.test('lets people read, and log out', async (t) => {
    const admin = await useUp()
    const { token, organization_id } = admin
    t.equal((await call('listUsers', { token })).status, 200)
    const params = { organization_id }
    t.equal((await call('getUsage', { token, params })).status, 200)
    t.equal((await call('logout', { token, body: {} })).status, 204)
  })

  t.test('lets admins deactivate users and remove participants', async (t) => {
    const { admin, organization_id, ben, cleo, play } = await openStage(service)
    const { token } = admin
    const { params } = await play()
    await setLimits(db, organization_id, { events_per_day: 1 })
    await until(async () => (await rename(admin)).status === 409)
    const remove = { token, params: { ...params, user_id: ben.user_id } }
    t.equal((await call('removeParticipant', remove)).status, 204)
    const update = (body: object) =>
      call('updateUser', { token, params: { user_id: cleo.user_id }, body })
    t.match(await update({ is_active: false }), { status: 200, body: { is_active: false } })
    t.equal((await update({ is_active: true })).status, 409)
    const withMore = { is_active: false, metadata: { note: 'left' } }
    t.equal((await update(withMore)).status, 409, 'other changes in the request count')
    const body = { name: 'Acme', is_active: false }
    const renamed = await call('updateOrganization', { token, params: { organization_id }, body })
    t.equal(renamed.status, 409, 'other operations do not have this exception')
  })

  t.test('is checked for all events of a request', async (t) => {
    const { token, organization_id } = await registerAdmin()
    await setLimits(db, organization_id, { events_per_day: 10 })
    const send = (count: number) => {
      const event = { category: 'simulation', event_type: 'seen' }
      const body = { events: Array.from({ length: count }, () => event) }
      return call('recordAuditEvents', { token, params: { organization_id }, body })
    }
    t.equal((await send(1)).status, 201)
    // Until the count is read the service knows no limit but the default. This waits for the count.
    await t.rejects(app.usage.eventsToday.take(organization_id, 500_000))
    t.equal((await send(10)).status, 409)
    t.equal((await send(1)).status, 201, 'a shorter request has room')
  })

  t.test('ends when an operator allows more, and affects no other organization', async (t) => {
    const admin = await useUp()
    t.equal((await rename(await registerAdmin())).status, 200)
    await sealTrail(db, admin.organization_id)
    await setLimits(db, admin.organization_id, { events_per_day: null })
    await until(async () => (await rename(admin)).status === 200)
  })

  t.test('does not apply to an operator', async (t) => {
    const admin = await useUp()
    const { token } = await addMember(admin.organization_id, 'super_admin')
    t.equal((await rename({ ...admin, token })).status, 200)
  })

  t.test('is known to every process', { skip: skipEmbedded }, async (t) => {
    const admin = await useUp()
    const second = await startOn({ db, databaseUrl }, t)
    const { token, organization_id } = admin
    const renameThere = () =>
      second.call('updateOrganization', {
        ...{ token, params: { organization_id }, body: { name: 'Another' } },
      })
    await until(async () => (await renameThere()).status === 409)
    t.match(await renameThere(), {
      status: 409,
      body: { code: 'quota_exceeded', quota: 'events_per_day', allowed: 3 },
    })
  })
})
