import { jsonb } from '../../src/database/expressions.js'
import { openDesk, openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { call, url, addMember } = service
/** The body of joinSession. */
const body = { consent: true }
type Stream = Awaited<ReturnType<typeof openEvents>>

/** The last event of a stream about the place of a user. */
const placeOf = (stream: Stream, { user_id }: { user_id: string }) =>
  stream.named('participant').findLast((place) => place.user_id === user_id)

t.test('streamSessionEvents', async (t) => {
  t.test('sends each place once, then each join and leave', async (t) => {
    const { admin, ben, cleo, bot, draft, join, change } = await openStage(service)
    const { _id } = await draft()
    const params = { session_id: _id }
    await join(_id, ben)
    const streams = await Promise.all([ben, admin, bot].map((one) => openEvents(url, one, _id)))
    for (const stream of streams) {
      await until(() => stream.named('participant').length === 2)
      t.equal(stream.events[0]?.event, 'status')
      t.ok(placeOf(stream, ben).joined_at)
      t.match(placeOf(stream, cleo), { session_id: _id, joined_at: null, left_at: null })
    }
    const tag = async () =>
      (await call('getSession', { token: admin.token, params })).headers.get('etag')
    const before = await tag()
    await call('joinSession', { token: cleo.token, params, body })
    t.equal(await tag(), before, 'a join does not change the session')
    for (const stream of streams) {
      await until(() => placeOf(stream, cleo).joined_at !== null)
      // Trainers also receive who comes online.
      t.equal(stream.events.findLast(({ event }) => event === 'participant')?.id, null)
    }
    await change('startSession', admin, { _id })
    await call('leaveSession', { token: cleo.token, params })
    for (const stream of streams) {
      await until(() => placeOf(stream, cleo).left_at !== null)
      t.equal(stream.named('participant').length, 4, 'there is no event about other places')
      await stream.leave()
    }
  })

  t.test('sends each addition, change and removal, before and after the start', async (t) => {
    const { organization_id, admin, ben, cleo, draft, change } = await openStage(service)
    const { token } = admin
    const dee = await addMember(organization_id, 'employee')
    const { _id } = await draft()
    const params = { session_id: _id }
    const stream = await openEvents(url, admin, _id)
    await until(() => stream.named('participant').length === 2)
    const ofDee = { ...params, user_id: dee.user_id }
    await call('addParticipant', { token, params: ofDee, body: {} })
    await until(() => placeOf(stream, dee)?.removed_at === null)
    const participants = [dee, ben].map(({ user_id }) => ({ user_id }))
    await call('setParticipants', { token, params, body: { participants } })
    await until(() => placeOf(stream, cleo).removed_at !== null)
    await change('startSession', admin, { _id })
    await call('removeParticipant', { token, params: ofDee })
    await until(() => placeOf(stream, dee).removed_at !== null)
    t.equal(placeOf(stream, ben).removed_at, null)
    const late = await openEvents(url, admin, _id)
    await until(() => late.named('participant').length > 0)
    t.match(late.named('participant'), [{ user_id: ben.user_id, removed_at: null }])
    await call('addParticipant', { token, params: ofDee, body: {} })
    for (const one of [stream, late]) {
      await until(() => placeOf(one, dee)?.removed_at === null)
      await one.leave()
    }
  })

  t.test('sends each join and leave at most once, and the last ones always', async (t) => {
    const { ben, cleo, admin, play } = await openStage(service)
    const { _id, params } = await play()
    const stream = await openEvents(url, admin, _id)
    await until(() => stream.named('participant').length === 2)
    for (let i = 0; i < 20; i++) {
      for (const { token } of [ben, cleo]) {
        if (i % 2) await call('joinSession', { token, params, body })
        else await call('leaveSession', { token, params })
      }
    }
    await call('leaveSession', { token: ben.token, params })
    const listed = await call('listParticipants', { token: admin.token, params })
    for (const { user_id, joined_at, left_at } of listed.body) {
      await until(() => {
        const place = placeOf(stream, { user_id })
        return place.joined_at === joined_at && place.left_at === left_at
      })
    }
    t.ok(stream.named('participant').length <= 2 + 41, 'no change is sent twice')
    await stream.leave()
  })
})

t.test('A place', async (t) => {
  t.test('is sent before messages of its holder and before the end', async (t) => {
    const { admin, ben, cleo, play, post, change } = await openStage(service)
    const session = await play()
    const { params } = session
    await call('leaveSession', { token: cleo.token, params })
    const streams = [await openEvents(url, admin, session._id), await openDesk(url, admin)]
    await until(() => streams[0]?.named('participant').length === 2)
    await streams[1]?.waitForSession(session._id, { status: 'running' })
    await call('joinSession', { token: cleo.token, params, body })
    await post(cleo, session)
    for (const stream of streams) {
      await stream.waitForMessages(1)
      t.match(stream.events.at(-2), { event: 'participant', data: { user_id: cleo.user_id } })
    }
    await call('leaveSession', { token: ben.token, params })
    await change('endSession', admin, session)
    for (const stream of streams) {
      await until(() => stream.events.at(-1)?.data.status === 'completed' || stream.isOver())
      t.ok(placeOf(stream, ben).left_at)
      await stream.leave()
    }
  })
})

t.test('An answered expectation', async (t) => {
  t.test('is sent after the answer, to readers of the session and of all sessions', async (t) => {
    const { admin, ben, play, post, addMessages, list } = await openStage(service)
    const session = await play()
    await addMessages(session, 1, 'By hand or anew?')
    await service.db
      .updateTable('session_messages')
      .set({
        expectation: jsonb({ act: 'decide', deadline_minutes: 5, options: [], decision: null }),
      })
      .where('session_id', '=', session._id)
      .execute()
    const [asked] = await list(admin, session)
    const streams = [await openEvents(url, ben, session._id), await openDesk(url, admin)]
    await streams[1]?.waitForSession(session._id, { messages: 1 })
    const fields = { thread_id: asked?._id ?? null, content: 'By hand' }
    const { body: answer } = await post(ben, session, fields)
    await post(ben, session, fields)
    for (const stream of streams) {
      await until(() => stream.seqs().includes(3))
      const answered = (event: { status: string }) => event.status === 'answered'
      t.match(stream.named('expectation').filter(answered), [
        {
          session_id: session._id,
          message_id: asked?._id,
          status: 'answered',
          answered_by: ben.user_id,
          answered_message_id: answer._id,
          answered_at: answer.posted_at,
        },
      ])
      const names = stream.events.map(({ data }) => data.seq ?? data.status)
      t.equal(names.indexOf('answered'), names.indexOf(2) + 1, 'right after the answer')
      await stream.leave()
    }
  })
})

t.test('streamEvents', async (t) => {
  t.test('sends joins and leaves that happen while it is open, and no other places', async (t) => {
    const { admin, ben, cleo, play } = await openStage(service)
    const { _id, params } = await play()
    const stream = await openDesk(url, admin)
    await stream.waitForSession(_id, { status: 'running' })
    const sessionStream = await openEvents(url, ben, _id)
    await until(() => sessionStream.named('participant').length === 2)
    await call('leaveSession', { token: cleo.token, params })
    for (const one of [stream, sessionStream]) await until(() => placeOf(one, cleo)?.left_at)
    t.match(stream.named('participant'), [{ session_id: _id, user_id: cleo.user_id }])
    await call('joinSession', { token: cleo.token, params, body })
    await until(() => placeOf(stream, cleo).left_at === null)
    t.equal(stream.named('participant').length, 2)
    await Promise.all([stream.leave(), sessionStream.leave()])
  })
})
