import { t } from '../helpers/file.js'
import { seatsOf, secretOf } from '../helpers/seats.js'
import { auditEvents, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t)
const { app, call, registerAdmin } = service
const { admin, ben, cleo, draft, play, change } = await openStage(service)
const { createLinks, tryToTake, take, linkGuest, joinAs, linkOf } = seatsOf(service)
const { token } = admin

const eventsOf = (case_id: string, event_type: string) =>
  auditEvents(call, admin, { case_id, event_type })

t.test('createSeatLinks', async (t) => {
  t.test('lets a guest go from the link to a message', async (t) => {
    const session = await play()
    const [link] = await createLinks(admin, session._id, [{ guest: true }])
    t.match(link, { full_name: 'Guest 1', is_guest: true, role_key: null, role_title: null })
    t.match(link?.url, /^http:\/\/127\.0\.0\.1:\d+\/play#[\w-]{65}[AQgw]$/)
    t.match(link?.qr_svg, /^<svg [^<]+><rect [^<]+><path [^<]+><\/svg>$/)
    const guest = await take(link)
    const { user_id } = guest
    await joinAs(guest, 'Kim Novak')
    const body = { conversation_id: session.home, content: 'Hello', client_message_id: 'k-1' }
    const { params } = session
    const posted = await call('postSessionMessage', { token: guest.token, params, body })
    t.match(posted, { status: 201, body: { sender_id: user_id, sender_kind: 'participant' } })
    const { body: briefing } = await call('getBriefing', { token, params })
    t.match(briefing.participants.at(-1), { user_id, display_name: 'Kim Novak' })
  })

  t.test('creates a link for each place without one', async (t) => {
    const { _id } = await draft()
    const links = await createLinks(admin, _id)
    t.strictSame(
      links.map(({ user_id, is_guest }) => ({ user_id, is_guest })),
      [ben, cleo].map(({ user_id }) => ({ user_id, is_guest: false })),
    )
    t.strictSame(await createLinks(admin, _id), [])
    await linkGuest(admin, _id)
    t.strictSame(await createLinks(admin, _id), [])
  })

  t.test('replaces the link of a place and logs out its device', async (t) => {
    const { _id: session_id } = await play()
    const { link: old, guest } = await linkGuest(admin, session_id)
    const { assignment_id } = guest
    const [renewed] = await createLinks(admin, session_id, [{ assignment_id }])
    t.equal(renewed?.user_id, guest.user_id)
    t.not(secretOf(renewed), secretOf(old))
    const refused = await tryToTake(old)
    t.match(refused, {
      status: 422,
      body: { detail: [{ loc: ['body', 'seat_token'], type: 'link_replaced' }] },
    })
    const { token, refresh_token } = guest
    t.equal((await call('getSession', { token, params: { session_id } })).status, 401)
    const renewal = await call('refreshToken', { body: { refresh_token } })
    t.match(renewal, { status: 401, body: { code: 'invalid_token' } })
    t.equal((await tryToTake(renewed)).status, 200)
  })

  t.test('leads to APP_URL, or else to the address of the request', async (t) => {
    const { _id: session_id } = await draft()
    const configured = await startService(t, { APP_URL: 'https://drills.acme.example' })
    const [link] = await seatsOf(configured).createLinks(admin, session_id, [{ guest: true }])
    t.match(link?.url, /^https:\/\/drills\.acme\.example\/play#/)
    const createAt = (host: string) =>
      app.inject({
        method: 'POST',
        url: `/api/v1/simulation/sessions/${session_id}/seat-links`,
        headers: { host, authorization: `Bearer ${admin.token}` },
        payload: { seats: [{ guest: true }] },
      })
    t.match(
      (await createAt('192.168.0.7:3000')).json()[0].url,
      /^http:\/\/192\.168\.0\.7:3000\/play#/,
    )
    t.equal((await createAt('evil.example/path')).statusCode, 400)
  })

  t.test('names guests with the first free numbers', async (t) => {
    const { _id: session_id } = await draft({ participants: [] })
    const two = await createLinks(admin, session_id, [{ guest: true }, { guest: true }])
    const params = { session_id, user_id: two[0]?.user_id ?? '' }
    t.equal((await call('removeParticipant', { token, params })).status, 204)
    const more = await createLinks(admin, session_id, [{ guest: true }, { guest: true }])
    t.strictSame(
      [...two, ...more].map(({ full_name }) => full_name),
      ['Guest 1', 'Guest 2', 'Guest 1', 'Guest 3'],
    )
  })

  t.test('reports where each fault of the wanted seats is', async (t) => {
    const { _id: session_id } = await draft()
    const other = await draft()
    const [own] = await createLinks(admin, session_id)
    const [foreign] = await createLinks(admin, other._id)
    const { assignment_id = '' } = own ?? {}
    const seats = [
      { assignment_id },
      { assignment_id },
      { assignment_id: foreign?.assignment_id },
      {},
      { guest: true, assignment_id, role_key: 'pilot' },
      { assignment_id: 'x', role_key: 'pilot' },
    ]
    const answer = await call('createSeatLinks', { token, params: { session_id }, body: { seats } })
    t.strictSame(
      answer.body.detail.map(({ loc, type }: { loc: string[]; type: string }) =>
        [...loc.slice(2), type].join(' '),
      ),
      [
        '1 assignment_id duplicate',
        '2 assignment_id unknown_assignment',
        '3 assignment_id missing',
        '4 assignment_id contradictory',
        '4 role_key unknown_role',
        '5 assignment_id unknown_assignment',
        '5 role_key contradictory',
      ],
    )
    const { body: places } = await call('listParticipants', { token, params: { session_id } })
    t.equal(places.length, 2, 'nothing was changed')
  })

  t.test('is refused after the end, and beyond the limit of participants', async (t) => {
    const session = await play()
    const params = { session_id: session._id }
    const seats = Array.from({ length: 99 }, () => ({ guest: true }))
    const full = await call('createSeatLinks', { token, params, body: { seats } })
    t.match(full, { status: 409, body: { code: 'quota_exceeded', quota: 'session_participants' } })
    await change('endSession', admin, session)
    const late = await call('createSeatLinks', { token, params })
    t.match(late, { status: 409, body: { code: 'session_ended', current_status: 'completed' } })
  })

  t.test('records who got a link, and no secret', async (t) => {
    const { _id } = await draft()
    const links = await createLinks(admin, _id)
    const [event] = await eventsOf(_id, 'seat_links_created')
    t.strictSame(
      event?.metadata?.assignment_ids,
      links.map(({ assignment_id }) => assignment_id),
    )
    t.equal(event?.actor_id, admin.user_id)
    const all = JSON.stringify(await auditEvents(call, admin))
    for (const link of links) t.notOk(all.includes(secretOf(link)))
  })
})

t.test('listSeatLinks', async (t) => {
  t.test('lists each link without its secret', async (t) => {
    const { _id: session_id } = await play()
    const { link, guest } = await linkGuest(admin, session_id)
    await createLinks(admin, session_id)
    const params = { session_id }
    const { body: links } = await call('listSeatLinks', { token, params })
    t.strictSame(
      links.map(({ user_id }: { user_id: string }) => user_id),
      [ben.user_id, cleo.user_id, guest.user_id],
    )
    t.match(links[0], { is_guest: false, taken_at: null, revoked_at: null })
    t.match(links[2], { full_name: 'Guest 1', is_guest: true, taken_at: /Z$/, revoked_at: null })
    t.notOk(JSON.stringify(links).includes(secretOf(link)))
  })

  t.test('leaves out removed participants, whose links do not work', async (t) => {
    const { _id: session_id } = await play()
    const { link, guest } = await linkGuest(admin, session_id)
    const { user_id } = guest
    await call('removeParticipant', { token, params: { session_id, user_id } })
    t.strictSame((await call('listSeatLinks', { token, params: { session_id } })).body, [])
    t.match((await tryToTake(link)).body.detail, [{ type: 'link_revoked' }])
    const own = await call('getSession', { token: guest.token, params: { session_id } })
    t.equal(own.status, 401)
  })
})

t.test('revokeSeatLink', async (t) => {
  t.test('ends the link and logs out its device, but keeps the place', async (t) => {
    const { _id: session_id } = await play()
    const { link, guest } = await linkGuest(admin, session_id)
    const params = { session_id, assignment_id: guest.assignment_id }
    t.equal((await call('revokeSeatLink', { token, params })).status, 204)
    const asGuest = { token: guest.token, params: { session_id } }
    t.equal((await call('getSession', asGuest)).status, 401)
    t.match(await tryToTake(link), { status: 422, body: { detail: [{ type: 'link_revoked' }] } })
    const { body: places } = await call('listParticipants', { token, params: { session_id } })
    t.match(places.at(-1), { user_id: guest.user_id, is_guest: true })
    t.equal((await call('revokeSeatLink', { token, params })).status, 204, 'a repeated request')
    t.equal((await eventsOf(session_id, 'seat_link_revoked')).length, 1)
    t.equal((await tryToTake(await linkOf(admin, guest))).status, 200, 'a new link works')
  })

  t.test('finds only a link of the session', async (t) => {
    const [session, other] = [await play(), await play()]
    const { guest } = await linkGuest(admin, other._id)
    const places = [guest.assignment_id, 'x', session._id]
    for (const assignment_id of places) {
      const params = { session_id: session._id, assignment_id }
      const answer = await call('revokeSeatLink', { token, params })
      t.match(answer, { status: 404, body: { code: 'seat_link_not_found' } })
    }
    const stranger = await registerAdmin()
    const params = { session_id: other._id, assignment_id: guest.assignment_id }
    const foreign = await call('revokeSeatLink', { token: stranger.token, params })
    t.match(foreign, { status: 404, body: { code: 'session_not_found' } })
  })
})
