import { createOpaqueToken } from '../../src/identity/opaque-token.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { seatsOf, secretOf } from '../helpers/seats.js'
import { auditEvents, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { openStage } from '../helpers/stage.js'
import { untilServed } from '../helpers/until.js'

const service = await startService(t)
const { call, db, url } = service
const { admin, organization_id, ben, draft, play, change } = await openStage(service)
const { createLinks, tryToTake, take, linkGuest, joinAs } = seatsOf(service)
const { becomes } = sessionsOf(service)

const takeWith = (seat_token: string, on = service) => on.call('takeSeat', { body: { seat_token } })

t.test('takeSeat', async (t) => {
  t.test('gives the place to the second device, and notifies the first one', async (t) => {
    const { _id: session_id, params } = await play()
    const { link, guest: first } = await linkGuest(admin, session_id)
    await joinAs(first, 'Kim Novak')
    const events = await openEvents(url, first, session_id)
    const second = await take(link)
    t.equal((await call('getSession', { token: first.token, params })).status, 401)
    await events.waitForEnd()
    t.strictSame(events.named('end'), [{ reason: 'seat_taken_over' }])
    const { refresh_token } = first
    const refused = await call('refreshToken', { body: { refresh_token } })
    t.match(refused, { status: 401, body: { code: 'seat_taken_over' } })
    const { body: briefing } = await call('getBriefing', { token: second.token, params })
    t.match(briefing, { is_guest: true, joined: true })
  })

  t.test('asks before it takes a place from somebody, for a caller who wants that', async (t) => {
    const { _id: session_id, params } = await play()
    const [link] = await createLinks(admin, session_id, [{ guest: true }])
    const tryWith = (take_over: boolean, seat_token = secretOf(link)) =>
      call('takeSeat', { body: { seat_token, take_over } })
    const { status, body: first } = await tryWith(false)
    t.equal(status, 200, 'a free place is taken')
    const { access_token: token, user_id, assignment_id } = first
    const refused = (display_name: string | null) => {
      const seat = { session_id, user_id, display_name }
      return { status: 409, body: { code: 'seat_taken', seat } }
    }
    t.match(await tryWith(false), refused(null))
    await joinAs({ ...first, token }, 'Kim Novak')
    t.match(await tryWith(false), refused('Kim Novak'))
    t.equal((await call('getSession', { token, params })).status, 200, 'nobody is logged out')
    const [fresh] = await createLinks(admin, session_id, [{ assignment_id }])
    t.match(await tryWith(false, secretOf(fresh)), refused('Kim Novak'), 'also by a new link')
    t.equal((await tryWith(true, secretOf(fresh))).status, 200)
  })

  t.test('keeps the seat and its role with a refreshed token', async (t) => {
    const { _id: session_id, params } = await play()
    const { guest } = await linkGuest(admin, session_id)
    const { refresh_token } = guest
    const { body: renewed } = await call('refreshToken', { body: { refresh_token } })
    t.match(renewed, { role: 'employee', user_id: guest.user_id })
    const token = renewed.access_token
    t.equal((await call('getSession', { token, params })).status, 200)
    t.equal((await call('getCurrentUser', { token })).status, 403)
  })

  t.test('records which place was taken, by its user', async (t) => {
    const { _id } = await play()
    const { link, guest } = await linkGuest(admin, _id)
    const all = await auditEvents(call, admin, { case_id: _id })
    const event = all.find(({ event_type }) => event_type === 'seat_taken')
    t.match(event, {
      category: 'simulation_session',
      actor_id: guest.user_id,
      metadata: { assignment_id: guest.assignment_id },
    })
    t.notOk(JSON.stringify(all).includes(secretOf(link)))
  })

  t.test('refuses an inactive person until they are active again', async (t) => {
    const { _id } = await draft({ participants: [{ user_id: ben.user_id }] })
    const [link] = await createLinks(admin, _id)
    const setActive = (is_active: boolean) =>
      call('updateUser', {
        token: admin.token,
        params: { user_id: ben.user_id },
        body: { is_active },
      })
    await setActive(false)
    t.match(await tryToTake(link), { status: 422, body: { detail: [{ type: 'inactive' }] } })
    await setActive(true)
    t.equal((await tryToTake(link)).status, 200)
  })

  t.test(
    'does not know a link of a deleted place, even if the place is created again',
    async (t) => {
      const { _id: session_id } = await draft()
      const [link] = await createLinks(admin, session_id)
      const { token, user_id } = await take(link)
      const params = { session_id, user_id }
      await call('removeParticipant', { token: admin.token, params })
      await call('addParticipant', { token: admin.token, params })
      t.match((await tryToTake(link)).body.detail, [{ type: 'link_unknown' }])
      t.equal((await call('getSession', { token, params: { session_id } })).status, 401)
    },
  )

  t.test(
    'refuses the link and the device of a participant who was removed and added again',
    async (t) => {
      const { _id: session_id } = await play()
      const { link, guest } = await linkGuest(admin, session_id)
      const { token, user_id, refresh_token } = guest
      await joinAs(guest, 'Kim Novak')
      const params = { session_id, user_id }
      await call('removeParticipant', { token: admin.token, params })
      const added = await call('addParticipant', { token: admin.token, params })
      t.equal(added.status, 200)
      t.equal((await call('getSession', { token, params: { session_id } })).status, 401)
      t.equal((await call('refreshToken', { body: { refresh_token } })).status, 401)
      const refused = await tryToTake(link)
      t.match(refused, { status: 422, body: { detail: [{ type: 'link_revoked' }] } })
      const { assignment_id } = guest
      const [fresh] = await createLinks(admin, session_id, [{ assignment_id }])
      t.equal((await tryToTake(fresh)).status, 200)
    },
  )

  t.test('remembers the latest ten replaced links of a person', async (t) => {
    const { _id: session_id } = await play()
    const { link: first, guest } = await linkGuest(admin, session_id)
    const { assignment_id } = guest
    for (let i = 0; i < 10; i++) await createLinks(admin, session_id, [{ assignment_id }])
    t.match((await tryToTake(first)).body.detail, [{ type: 'link_replaced' }])
    await createLinks(admin, session_id, [{ assignment_id }])
    t.match((await tryToTake(first)).body.detail, [{ type: 'link_unknown' }])
  })

  t.test('never logs the secret, and stores only its hash', async (t) => {
    const loud = await startService(t, { LOG_LEVEL: 'trace' })
    const { _id } = await play()
    const [link] = await seatsOf(loud).createLinks(admin, _id, [{ guest: true }])
    const { status, body } = await takeWith(secretOf(link), loud)
    t.equal(status, 200)
    t.ok(loud.log.some((line) => line.includes('/simulation/seats/take')))
    for (const secret of [secretOf(link), body.access_token, body.refresh_token]) {
      t.notOk(loud.log.join().includes(secret))
    }
    const rows = await db.selectFrom('seat_links').selectAll().execute()
    t.notOk(JSON.stringify(rows).includes(secretOf(link)))
  })
})

t.test('The end of a session', async (t) => {
  t.test('ends its links, and lets its devices read for an hour', async (t) => {
    const session = await play()
    const { _id: session_id, params } = session
    const { link, guest } = await linkGuest(admin, session_id)
    await joinAs(guest, 'Kim Novak')
    await change('endSession', admin, session)
    const refused = await tryToTake(link)
    t.match(refused, { status: 409, body: { code: 'session_ended', current_status: 'completed' } })
    const read = await call('listSessionMessages', { token: guest.token, params })
    t.equal(read.status, 200)
    const { refresh_token } = guest
    const { body: renewed } = await call('refreshToken', { body: { refresh_token } })
    t.ok(renewed.expires_in > 3_500 && renewed.expires_in <= 3_600)
    const { expires_at } = await db
      .selectFrom('login_sessions')
      .select('expires_at')
      .where('organization_id', '=', organization_id)
      .where('assignment_id', '=', guest.assignment_id)
      .executeTakeFirstOrThrow()
    const minutes = (Date.parse(expires_at) - Date.now()) / 60_000
    t.ok(minutes > 59 && minutes <= 60, `${minutes}`)
  })

  t.test('does the same when the clock reaches it', async (t) => {
    const session = await play({ ends_after_minutes: 5 })
    const { guest } = await linkGuest(admin, session._id)
    const early = new Date(Date.now() - 10 * 60_000).toISOString()
    await db
      .updateTable('simulation_sessions')
      .set({ anchor_at: early, next_due_at: early })
      .where('organization_id', '=', organization_id)
      .where('_id', '=', session._id)
      .execute()
    await becomes(admin, session, 'completed')
    const { is_active } = await db
      .selectFrom('users')
      .select('is_active')
      .where('organization_id', '=', organization_id)
      .where('_id', '=', guest.user_id)
      .executeTakeFirstOrThrow()
    t.equal(is_active, false)
    const { token } = guest
    t.equal((await call('getSession', { token, params: session.params })).status, 200)
  })
})

t.test('takeSeat requests from one address', async (t) => {
  const limited = await startService(t, { RATE_LIMIT: 'on', TRUST_PROXY: 'on' })
  const takeFrom = (ip: string, seat_token: string) =>
    limited.call('takeSeat', { body: { seat_token }, headers: { 'x-forwarded-for': ip } })

  t.test('all work when a room scans its links at once', async (t) => {
    const { _id } = await play()
    const links = await createLinks(admin, _id, Array(30).fill({ guest: true }))
    const secrets = links.map(secretOf)
    t.ok(
      secrets.every((secret) => /[A-Za-z0-9]$/.test(secret)),
      'none ends in "-" or "_", which chats and mail readers cut off',
    )
    const answers = await Promise.all(
      secrets.map((secret) => untilServed(() => takeFrom('192.0.2.6', secret))),
    )
    t.strictSame(new Set(answers.map(({ status }) => status)), new Set([200]))
  })

  t.test('are limited to ten unknown secrets in 15 minutes', async (t) => {
    const { _id } = await play()
    const [link] = await createLinks(admin, _id, [{ guest: true }])
    const unknown = () => createOpaqueToken(organization_id).text
    const fault = (type: string) => ({
      status: 422,
      body: { detail: [{ loc: ['body', 'seat_token'], type }] },
    })
    for (let i = 0; i < 10; i++) {
      t.match(await takeFrom('192.0.2.7', unknown()), fault('link_unknown'))
    }
    t.match(await takeFrom('192.0.2.7', unknown().slice(0, -1)), fault('link_incomplete'))
    const refused = await takeFrom('192.0.2.7', unknown())
    t.match(refused, { status: 429, body: { code: 'rate_limited' } })
    t.ok(Number(refused.headers.get('retry-after')) > 800)
    t.equal((await takeFrom('192.0.2.7', secretOf(link))).status, 200, 'a known secret still works')
    t.equal((await takeFrom('192.0.2.8', unknown())).status, 422, 'another address is not limited')
  })
})
