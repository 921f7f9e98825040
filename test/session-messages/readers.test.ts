import { connect } from 'node:net'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { skipEmbedded } from '../helpers/skips.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { app, call, db, url, addMember } = service
const { admin, organization_id, bot, ben, cleo, join, play, post, addMessages } =
  await openStage(service)

t.test('streamSessionEvents', async (t) => {
  t.test('ends for a reader who loses their access', async (t) => {
    const hr = await addMember(organization_id, 'hr')
    const rater = await addMember(organization_id, 'executive')
    const dee = await addMember(organization_id, 'employee')
    const eve = await addMember(organization_id, 'employee')
    const gone = await addMember(organization_id, 'bot')
    const participants = [ben, cleo, dee, eve].map(({ user_id }) => ({ user_id }))
    const session = await play({ participants, rater_ids: [rater.user_id] })
    await join(session._id, dee)
    await join(session._id, eve)
    const sessions = db.updateTable('simulation_sessions').where('_id', '=', session._id)
    await sessions.set({ cast_ids: [bot.user_id, gone.user_id] }).execute()
    const open = (reader: typeof hr) => openEvents(url, reader, session._id)
    const lost = await Promise.all([hr, rater, cleo, dee, eve, gone].map(open))
    const kept = await Promise.all([ben, bot, admin].map(open))

    const user = (user_id: string) => db.updateTable('users').where('_id', '=', user_id)
    await user(hr.user_id).set({ role: 'employee' }).execute()
    await sessions.set({ rater_ids: [] }).execute()
    await join(session._id, cleo, new Date().toISOString())
    await call('logout', { token: dee.token, body: {} })
    await user(eve.user_id).set({ is_active: false }).execute()
    await db.deleteFrom('api_keys').where('user_id', '=', gone.user_id).execute()
    for (const stream of lost) await stream.waitForEnd()
    await post(ben, session)
    for (const stream of kept) await stream.waitForMessages(1)
    t.strictSame(
      lost.map((stream) => stream.seqs()),
      lost.map(() => []),
    )
    await Promise.all(kept.map((stream) => stream.leave()))
  })

  t.test(
    'ends for a reader who loses their access while the organization is busy',
    { skip: skipEmbedded },
    async (t) => {
      const hr = await addMember(organization_id, 'hr')
      const session = await play()
      const stream = await openEvents(url, hr, session._id)
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const hold = () =>
        app
          .dbOf(organization_id)
          .connection()
          .execute(() => released)
      const held = Array.from({ length: 20 }, () => hold().catch(() => {}))
      await db
        .updateTable('users')
        .set({ role: 'employee' })
        .where('organization_id', '=', organization_id)
        .where('_id', '=', hr.user_id)
        .execute()
      await stream.waitForEnd()
      t.match(stream.events.at(-1), { event: 'end', data: { reason: 'access_ended' } })
      release()
      await Promise.all(held)
    },
  )

  t.test('is refused like the listing, and has no HEAD', async (t) => {
    const session = await play()
    const stranger = await addMember(organization_id, 'employee')
    const { body } = await call('streamSessionEvents', { token: stranger.token, ...session })
    t.equal(body.code, 'session_not_found')
    await join(session._id, cleo, new Date().toISOString())
    const left = await call('streamSessionEvents', { token: cleo.token, ...session })
    t.equal(left.body.code, 'not_joined')
    const path = `/api/v1/simulation/sessions/${session._id}/events`
    t.equal((await service.request(path, { method: 'HEAD' })).status, 405)
  })

  t.test('keeps the latest twenty streams of a caller open', async (t) => {
    const session = await play()
    const streams = []
    for (let i = 0; i < 21; i++) streams.push(await openEvents(url, ben, session._id))
    const another = await openEvents(url, cleo, session._id)
    const [oldest, ...others] = streams
    await oldest?.waitForEnd()
    await post(ben, session)
    await Promise.all([...others, another].map((stream) => stream.waitForMessages(1)))
    t.strictSame(oldest?.seqs(), [])
    t.match(oldest?.events.at(-1), { event: 'end', data: { reason: 'too_many_streams' } })
    await Promise.all([...others, another].map((stream) => stream.leave()))
    await until(() => app.sessionStreams.size === 0)
    t.pass('no stream of a gone reader is left')
  })

  t.test('disconnects a reader who reads nothing, and does not delay others', async (t) => {
    const session = await play()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.pause()
    const path = `/api/v1/simulation/sessions/${session._id}/events`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ben.token}\r\n\r\n`)
    await until(() => app.sessionStreams.size === 1)
    const reader = await openEvents(url, cleo, session._id)
    await addMessages(session, 400, '€'.repeat(10_000))
    await reader.waitForMessages(400)
    t.strictSame(
      reader.seqs(),
      Array.from({ length: 400 }, (_, i) => i + 1),
    )
    await reader.leave()
    await until(() => app.sessionStreams.size === 0)
    t.pass('the service has closed the connection that reads nothing')
    socket.destroy()
  })
})
