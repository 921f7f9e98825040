import { openDesk, openEvents } from '../helpers/event-stream.js'
import { openLab } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { call, registerAdmin, url } = service
const { addScenario, create, change, read, pass, texts, waitForTexts } = sessionsOf(service)
const admin = await registerAdmin()
const { token } = admin
const { scenario_name } = await addScenario(admin, [
  { content: 'Now', metadata: { drill_minute: 0 } },
  { content: 'Forty', metadata: { drill_minute: 40 } },
])

const setSpeed = (session_id: string, speed: number) =>
  call('updateSession', { token, params: { session_id }, body: { speed } })

/** A session that has run for ten real minutes. */
async function started(speed: number) {
  const session = await create(admin, { scenario_name, speed })
  await change('startSession', admin, session)
  await pass(session, 10)
  return session
}

t.test('updateSession, in a pause', async (t) => {
  t.test('changes the speed, and the clock goes on from where it stands', async (t) => {
    const session = await started(3)
    const paused = await change('pauseSession', admin, session)
    const elapsed_ms = Number(paused.clock.elapsed_ms)
    for (const speed of [2, 3600, 1]) {
      const { status, body } = await setSpeed(session._id, speed)
      t.match([status, body], [200, { status: 'paused', speed, next_due_at: null }])
      const jump = body.clock.elapsed_ms - elapsed_ms
      t.ok(jump >= 0 && jump < 3600 + 2, `the clock has moved by ${jump} ms`)
    }
    const resumed = await change('resumeSession', admin, session)
    const instant = Date.parse(resumed.clock.as_of) - Number(resumed.clock.elapsed_ms)
    const minutesAfter = (time: string | null) => (Date.parse(String(time)) - instant) / 60_000
    t.strictSame([resumed.next_due_at, resumed.ends_at].map(minutesAfter), [40, 90])
    t.strictSame(await texts(session), ['Now'])
    await pass(session, 10)
    t.strictSame(await waitForTexts(session, 2), ['Now', 'Forty'])
  })

  t.test('records the change, and that the session departs from its plan', async (t) => {
    const session = await started(3)
    const { elapsed_ms } = (await change('pauseSession', admin, session)).clock
    const { body } = await setSpeed(session._id, 2)
    const about = { speed_change: { elapsed_ms, speed_before: 3 }, at: body.clock.as_of }
    t.match(body.deviations, [
      { session_id: session._id, deviation: 'speed_changed', shift_ms: 0, ...about },
    ])
    const [event] = await auditEvents(call, admin, { case_id: session._id })
    t.equal(event?.event_type, 'session_updated')
    t.strictSame(event?.metadata, { changes: { speed: { from: 3, to: 2 } } })
    t.strictSame((await setSpeed(session._id, 2)).body.deviations, body.deviations, 'no change')
  })

  t.test('is listed in the results of an experiment', async (t) => {
    const { draft, update, results } = openLab(service, admin)
    const session = await create(admin, { scenario_name })
    const experiment_id = await draft()
    await update(experiment_id, { control_session_ids: [session._id], status: 'running' })
    await change('startSession', admin, session)
    await change('pauseSession', admin, session)
    await setSpeed(session._id, 2)
    const { body } = await results(experiment_id)
    t.match(body.deviations, [{ session_id: session._id, deviation: 'speed_changed' }])
  })

  t.test('tells all streams the new speed', async (t) => {
    const session = await started(3)
    const { clock } = await change('pauseSession', admin, session)
    const [stream, desk] = [await openEvents(url, admin, session._id), await openDesk(url, admin)]
    await desk.waitForSession(session._id, { status: 'paused', speed: 3 })
    await until(() => stream.named('status').length > 0)
    await setSpeed(session._id, 1)
    const news = { status: 'paused', speed: 1, elapsed_ms: clock.elapsed_ms } as const
    await desk.waitForSession(session._id, news)
    await until(() => stream.named('status').length > 1)
    t.match(stream.named('status').at(-1), news)
    await Promise.all([stream.leave(), desk.leave()])
  })

  t.test('still refuses another name or end, and any speed while the clock runs', async (t) => {
    const session = await started(3)
    const params = { session_id: session._id }
    const running = await setSpeed(session._id, 1)
    t.match([running.status, running.body], [409, { code: 'session_started' }])
    t.match(running.body.detail, /its speed only while it is paused/)
    await change('pauseSession', admin, session)
    for (const field of [{ name: 'x' }, { ends_after_minutes: 5 }, { mode: 'external' }]) {
      const { status, body } = await call('updateSession', {
        ...{ token, params },
        body: { speed: 1, ...field },
      })
      t.match([status, body.code], [409, 'session_started'], JSON.stringify(field))
    }
    await change('endSession', admin, session)
    t.equal((await setSpeed(session._id, 1)).body.code, 'session_started')
    t.match(await read(admin, session), { speed: 3, deviations: [] })
  })
})
