import { openDesk, openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { call, url } = service
const { admin, ben, draft, play, post, list, change } = await openStage(service)
const { pass, miss, read } = sessionsOf(service)
const { token } = admin

/** A session in which ten minutes have passed before a message and five after it. */
async function playForFifteenMinutes() {
  const session = await play()
  await pass(session, 10)
  await post(ben, session)
  const [message] = await list(admin, session)
  await pass(session, 5)
  return { ...session, least: Number(message?.offset_ms) }
}

/** As if the clock of the machine were set back by ten minutes. */
const setBack = (session: { _id: string }) => miss(session, -10)

/** A session that stands counts a millisecond for each change. */
const hasStood = (elapsed_ms: unknown, least: number) =>
  Number(elapsed_ms) >= least && Number(elapsed_ms) < least + 100

t.test('When the clock of the machine is set back, the clock of a session', async (t) => {
  t.test('does not fall below its last message', async (t) => {
    const { least, ...session } = await playForFifteenMinutes()
    await setBack(session)
    const { clock } = await read(admin, session)
    const { body: listed } = await call('listSessions', { token })
    const [one] = listed.filter(({ _id }: { _id: string }) => _id === session._id)
    await post(ben, session)
    const [, next] = await list(admin, session)
    const { params } = session
    const asked = await call('askTrainer', { token: ben.token, params, body: { content: 'When?' } })
    t.ok(least >= 10 * 60_000)
    const times = [clock.elapsed_ms, one.clock.elapsed_ms, next?.offset_ms, asked.body.elapsed_ms]
    for (const time of times) t.ok(hasStood(time, least), `${time}`)
  })

  t.test('starts at the time of the start, whenever it was prepared', async (t) => {
    const { _id } = await draft()
    await call('updateSession', { token, params: { session_id: _id }, body: { name: 'Monday' } })
    await setBack({ _id })
    const started = await change('startSession', admin, { _id })
    t.ok(Date.parse(String(started.started_at)) < Date.now() + 60_000)
  })

  t.test('does not fall in streams', async (t) => {
    const { least, ...session } = await playForFifteenMinutes()
    await setBack(session)
    const [events, desk] = [await openEvents(url, ben, session._id), await openDesk(url, admin)]
    const ofSession = () => desk.named('session').filter((one) => one.session_id === session._id)
    await until(() => events.events.length > 0 && ofSession().length > 0)
    t.ok(hasStood(events.events[0]?.data.elapsed_ms, least))
    t.ok(hasStood(ofSession()[0].elapsed_ms, least))
    await change('pauseSession', admin, session)
    await until(() => events.statuses().includes('paused'))
    t.ok(hasStood(events.named('status').at(-1)?.elapsed_ms, least))
    await Promise.all([events.leave(), desk.leave()])
  })

  t.test('stands in a pause where it stood, and does not fall after it', async (t) => {
    const { least, ...session } = await playForFifteenMinutes()
    await setBack(session)
    const paused = await change('pauseSession', admin, session)
    await change('resumeSession', admin, session)
    const resumed = await read(admin, session)
    for (const { clock } of [paused, resumed]) t.ok(hasStood(clock.elapsed_ms, least))
  })
})
