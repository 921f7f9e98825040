import { openDecisions, storyWith } from '../helpers/decisions.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { seatsOf, secretOf } from '../helpers/seats.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { call, url, db, addMember } = service
const { admin, organization_id, bot, draft, play, change } = await openStage(service)
const { createLinks, take, linkGuest, joinAs } = seatsOf(service)

/** Starts a session in which an admin has taken their place by a link. */
async function playAsAdmin(role: 'admin' | 'super_admin' = 'admin') {
  const person = await addMember(organization_id, role)
  const { _id } = await draft({ participants: [{ user_id: person.user_id }] })
  const [link] = await createLinks(admin, _id)
  const seat = await take(link)
  await joinAs(seat, null)
  await change('startSession', admin, { _id })
  return { _id, params: { session_id: _id }, seat, person }
}

t.test('An admin who takes a place by a link', async (t) => {
  t.test('can log out of the seat only', async (t) => {
    const { params, seat, person } = await playAsAdmin()
    const { token, refresh_token } = seat
    const answer = await call('logout', { token, body: { all: true } })
    t.equal(answer.status, 204)
    t.equal(answer.headers.get('x-ignored-fields'), '"body.all"')
    t.equal((await call('getBriefing', { token, params })).status, 401)
    t.equal((await call('refreshToken', { body: { refresh_token } })).status, 401)
    t.equal((await call('getCurrentUser', { token: person.token })).status, 200)
  })

  for (const role of ['admin', 'super_admin'] as const) {
    t.test(`has no rights of the role ${role}`, async (t) => {
      const { _id, params, seat } = await playAsAdmin(role)
      const { token } = seat
      t.equal(seat.role, 'employee')
      const { body: briefing } = await call('getBriefing', { token, params })
      t.match(briefing, { facilitator: null, is_guest: false, joined: true })
      const { body: session } = await call('getSession', { token, params })
      t.equal(session.experiment_id ?? null, null)
      t.equal((await call('endSession', { token, params })).status, 403)
      const other = await draft()
      const hidden = await call('getSession', { token, params: { session_id: other._id } })
      t.equal(hidden.status, 404)
      const events = await openEvents(url, seat, _id)
      t.equal(events.response.status, 200)
      await events.leave()
    })
  }

  t.test('keeps the role and the login beside the seat', async (t) => {
    const { params, person } = await playAsAdmin()
    const { body } = await call('getBriefing', { token: person.token, params })
    t.not(body.facilitator, null)
  })

  t.test('cannot speak as a character or decide for others', async (t) => {
    const { _id, params, seat } = await playAsAdmin()
    const { conversations } = (await call('getSession', { token: admin.token, params })).body
    const body = {
      conversation_id: conversations[0].conversation_id,
      content: 'I am the boss.',
      client_message_id: 'boss-1',
      as_character_id: bot.user_id,
    }
    const spoken = await call('postSessionMessage', { token: seat.token, params, body })
    t.match(spoken, { status: 422, body: { detail: [{ type: 'not_your_character' }] } })
    const { body: messages } = await call('listSessionMessages', { token: seat.token, params })
    t.strictSame(messages, [], _id)
  })

  t.test('sees decisions like a participant', async (t) => {
    const { admin, playOf, waitForTexts } = await openDecisions(service)
    const session = await playOf(storyWith())
    await waitForTexts(session, 2)
    const params = { session_id: session._id }
    const { user_id } = admin
    const token = admin.token
    await call('addParticipant', { token, params: { ...params, user_id } })
    const { body: places } = await call('listParticipants', { token, params })
    const { _id: assignment_id } = places.find(
      (one: { user_id: string }) => one.user_id === user_id,
    )
    const [link] = await createLinks(admin, session._id, [{ assignment_id }])
    const seat = await take(link)
    await joinAs(seat, null)
    const seen = (await call('listDecisions', { token: seat.token, params })).body
    t.match(seen, [{ beat: 'recall', fallback_option: null, options: [{ follows: null }] }])
    const led = (await call('listDecisions', { token, params })).body
    t.match(led[0], { fallback_option: 'wait' }, 'with a login, an admin sees what trainers see')
    const decision = { ...params, beat: 'recall' }
    const body = { option: 'all', on_behalf: true }
    const decided = await call('makeDecision', { token: seat.token, params: decision, body })
    t.equal(decided.status, 403)
  })

  t.test('reads the stream as a participant until the place is lost', async (t) => {
    const { _id, params, seat, person } = await playAsAdmin()
    const events = await openEvents(url, seat, _id)
    const remove = (session_id: string, user_id: string) =>
      call('removeParticipant', { token: admin.token, params: { session_id, user_id } })
    const other = await play()
    const { guest } = await linkGuest(admin, other._id)
    await joinAs(guest, 'Kim Novak')
    const eventsOfOther = await openEvents(url, guest, other._id)
    // The check that cuts this stream looks at all readers of the organization.
    await remove(other._id, guest.user_id)
    await eventsOfOther.waitForEnd()
    t.strictSame(eventsOfOther.named('end'), [{ reason: 'access_ended' }])
    const session = await call('getSession', { token: admin.token, params })
    const [{ conversation_id }] = session.body.conversations
    const body = { conversation_id, content: 'Still here.', client_message_id: 'here-1' }
    await call('postSessionMessage', { token: seat.token, params, body })
    await until(() => events.isOver() || events.messages().length === 1)
    t.notOk(events.isOver(), 'the check leaves this stream open')
    await remove(_id, person.user_id)
    await events.waitForEnd()
    t.strictSame(events.named('end'), [{ reason: 'access_ended' }])
  })

  t.test('keeps their login, even when the place is taken many times', async (t) => {
    const { _id, person } = await playAsAdmin()
    const { body: links } = await call('listSeatLinks', {
      token: admin.token,
      params: { session_id: _id },
    })
    const { assignment_id } = links[0]
    const [link] = await createLinks(admin, _id, [{ assignment_id }])
    const seat_token = secretOf(link)
    for (let i = 0; i < 101; i++) await call('takeSeat', { body: { seat_token } })
    t.equal((await call('getCurrentUser', { token: person.token })).status, 200)
    const { count } = await db
      .selectFrom('login_sessions')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('organization_id', '=', organization_id)
      .where('assignment_id', '=', assignment_id)
      .executeTakeFirstOrThrow()
    t.equal(count, 100)
  })
})
