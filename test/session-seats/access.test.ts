import type { OperationId } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { openDecisions, storyWith } from '../helpers/decisions.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { seatsOf, secretOf } from '../helpers/seats.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'
import { exampleCall, operations } from '../helpers/walk.js'

const service = await startService(t)
const { app, call, request, url, db, addMember } = service
const { admin, organization_id, bot, draft, play, change } = await openStage(service)
const { createLinks, take, linkGuest, joinAs } = seatsOf(service)

/** What the page of a participant needs. */
const needed: OperationId[] = [
  'askTrainer',
  'getBriefing',
  'getOwnRating',
  'getSession',
  'joinSession',
  'leaveSession',
  'listDecisions',
  'listExpectations',
  'listSessionMessages',
  'listTrainerMessages',
  'logout',
  'makeDecision',
  'postSessionMessage',
  'rateOneself',
  'streamSessionEvents',
]
const allowed = operations.filter(({ allowsSeat }) => allowsSeat)
/** Operations with a session in their path. */
const ofSession = allowed.filter(({ path }) => path.includes('/sessions/{session_id}'))

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

t.test('The token of a seat', async (t) => {
  t.test('may call only what its page needs', async (t) => {
    t.strictSame(allowed.map(({ operationId }) => operationId).sort(), needed)
    const others = allowed.filter((one) => !ofSession.includes(one))
    t.match(others, [{ operationId: 'logout' }])
    t.equal(others.length, 1)
    const { _id: session_id } = await play()
    const { guest } = await linkGuest(admin, session_id)
    const forbidden = operations.filter(({ roles, allowsSeat }) => roles && !allowsSeat)
    for (const operation of forbidden) {
      const own = { session_id, organization_id, user_id: guest.user_id }
      const options = exampleCall(operation, ({ name }) => new Map(Object.entries(own)).get(name))
      const answer = await call(operation.operationId, { ...options, token: guest.token })
      t.match([answer.status, answer.body.code], [403, 'insufficient_role'], operation.operationId)
    }
  })

  t.test('finds no other session, in its organization or another', async (t) => {
    const [session, other] = [await play(), await play()]
    const { guest } = await linkGuest(admin, session._id)
    const stranger = await openStage(service)
    const foreign = await stranger.play()
    for (const operation of ofSession) {
      const { operationId } = operation
      for (const session_id of [other._id, foreign._id, createId(), 'x']) {
        const options = exampleCall(operation, ({ name }) =>
          name === 'session_id' ? session_id : '',
        )
        const answer = await call(operationId, { ...options, token: guest.token })
        t.strictSame(
          [answer.status, answer.body],
          [404, { detail: 'Session not found', code: 'session_not_found' }],
          operationId,
        )
      }
    }
  })

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

  t.test('can take the same place again with the same link after a logout', async (t) => {
    const { _id, params } = await play()
    const { link, guest } = await linkGuest(admin, _id)
    await joinAs(guest, 'Kim Novak')
    t.equal((await call('logout', { token: guest.token })).status, 204)
    const again = await take(link)
    t.equal(again.assignment_id, guest.assignment_id)
    t.match((await call('getBriefing', { token: again.token, params })).body, { joined: true })
  })

  t.test('is valid for its place only', async (t) => {
    const { _id, params } = await play()
    const { guest } = await linkGuest(admin, _id)
    const { token, user_id, assignment_id } = guest
    await joinAs(guest, 'Kim Novak')
    const events = await openEvents(url, guest, _id)
    await db
      .updateTable('login_sessions')
      .set({ assignment_id: createId() })
      .where('organization_id', '=', organization_id)
      .where('assignment_id', '=', assignment_id)
      .execute()
    app.authenticator.invalidate(user_id)
    const { status, body } = await call('getBriefing', { token, params })
    t.strictSame([status, body.code], [404, 'session_not_found'])
    await events.waitForEnd()
    t.strictSame(events.named('end'), [{ reason: 'access_ended' }])
  })

  t.test('is refused before its body is read', async (t) => {
    const { guest } = await linkGuest(admin, (await play())._id)
    const authorization = `Bearer ${guest.token}`
    const init = { method: 'POST', body: '{', headers: { authorization } }
    const answer = await request('/api/v1/simulation/sessions', init)
    t.match(answer, { status: 403, body: { code: 'insufficient_role' } })
  })

  t.test('leaves the session and comes back under the same name', async (t) => {
    const { _id, params } = await play()
    const { guest } = await linkGuest(admin, _id)
    await joinAs(guest, 'Kim Novak')
    t.equal((await call('leaveSession', { token: guest.token, params })).status, 204)
    t.match(await joinAs(guest, null), { status: 200, body: { full_name: 'Kim Novak' } })
  })
})

t.test('An admin who takes a place by a link', async (t) => {
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
