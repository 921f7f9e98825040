import type { OperationId } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { seatsOf } from '../helpers/seats.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { exampleCall, operations } from '../helpers/walk.js'

const service = await startService(t)
const { app, call, request, url, db } = service
const { admin, organization_id, play } = await openStage(service)
const { take, linkGuest, joinAs } = seatsOf(service)

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
