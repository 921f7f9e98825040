import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { until, untilFree } from '../helpers/until.js'

// Its log tells what its own engine does, so no other service may run the sessions.
const service = await startService(t, { LOG_LEVEL: 'error' }, { isAlone: true })
const { call, db, log, registerAdmin } = service
const { addScenario, create, change, read, pass, miss, messages, texts, waitForTexts, becomes } =
  sessionsOf(service)
const admin = await registerAdmin()

const at = (drill_minute: number, content: string, metadata: object = {}) => ({
  content,
  metadata: { drill_minute, ...metadata },
})

t.test('A session that is due', async (t) => {
  t.test('starts without a request', async (t) => {
    const { scenario_name } = await addScenario(admin, [at(0, 'Now')])
    const session = await create(admin, { scenario_name, starts_at: new Date().toISOString() })
    t.equal(session.status, 'scheduled')
    await becomes(admin, session, 'running')
    t.strictSame(await waitForTexts(session, 1), ['Now'])
    const [delivered, started] = await auditEvents(call, admin, { case_id: session._id })
    t.match(
      [delivered, started],
      [
        { event_type: 'message_delivered', actor_type: 'system', actor_id: null },
        { event_type: 'session_started', actor_type: 'system', actor_id: null },
      ],
    )
  })

  t.test('posts history of any length immediately, without a clock shift', async (t) => {
    const history = Array.from({ length: 250 }, (_, i) => {
      return { content: `${i}`, offset_hours: -24, metadata: {} }
    })
    const { scenario_name } = await addScenario(admin, [...history, at(0, 'Now'), at(1, 'One')])
    const session = await create(admin, { scenario_name })
    const { counts } = await change('startSession', admin, session)
    t.equal(counts.posted, 251)
    t.strictSame(await texts(session), [...history.map(({ content }) => content), 'Now'])
    t.strictSame((await read(admin, session)).deviations, [])
    await pass(session, 1)
    t.equal((await waitForTexts(session, 252)).at(-1), 'One')
  })

  t.test('completes at its end, even when lines are still planned', async (t) => {
    const { scenario_name } = await addScenario(admin, [
      at(0, 'Now'),
      at(9, 'Nine'),
      at(30, 'Late'),
    ])
    const session = await create(admin, { scenario_name, ends_after_minutes: 10 })
    const { warnings } = await change('startSession', admin, session)
    t.match(warnings, [{ field: 'ends_after_minutes', value: '1' }])
    await pass(session, 9)
    await waitForTexts(session, 2)
    await pass(session, 1)
    const ended = await becomes(admin, session, 'completed')
    t.equal(ended.clock.elapsed_ms, 10 * 60_000)
    t.strictSame(await texts(session), ['Now', 'Nine'])
    const [event] = await auditEvents(call, admin, { case_id: session._id })
    t.match(event, { event_type: 'session_completed', actor_type: 'system' })
  })
})

t.test('After an outage', async (t) => {
  t.test('of more than a minute, the clock is set back and lines keep distance', async (t) => {
    const lines = [at(0, 'Now'), at(5, 'Five'), at(6, 'Six'), at(30, 'Thirty')]
    const { scenario_name } = await addScenario(admin, lines)
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    await miss(session, 25)
    t.strictSame(
      await waitForTexts(session, 2),
      ['Now', 'Five'],
      'missed lines do not come all at once',
    )
    const { clock, deviations, next_due_at } = await read(admin, session)
    t.ok(clock.shifted_ms >= 20 * 60_000 && clock.shifted_ms < 21 * 60_000)
    t.match(deviations, [
      { session_id: session._id, deviation: 'clock_shifted', shift_ms: clock.shifted_ms },
    ])
    const [, five] = await messages(session)
    const left = Date.parse(String(next_due_at)) - Date.parse(String(five?.posted_at))
    t.ok(left > 59_000 && left <= 60_000, 'six is a minute after five')
    const [event] = await auditEvents(call, admin, {
      case_id: session._id,
      event_type: 'session_clock_shifted',
    })
    t.equal(event?.metadata?.shift_ms, clock.shifted_ms)
    await pass(session, 1)
    await pass(session, 24)
    t.strictSame(
      await waitForTexts(session, 4),
      ['Now', 'Five', 'Six', 'Thirty'],
      'no line is lost',
    )
  })

  t.test('the first message already uses the corrected clock', async (t) => {
    const lines = [at(0, 'Now'), at(5, 'Five'), at(30, 'Thirty')]
    const { scenario_name } = await addScenario(admin, lines)
    const participants = [{ user_id: admin.user_id }]
    const session = await create(admin, { scenario_name, participants })
    const { token } = admin
    const params = { session_id: session._id }
    await call('joinSession', { token, params, body: { consent: true } })
    const { conversations } = await change('startSession', admin, session)
    await miss(session, 25)
    const { conversation_id } = conversations[0] ?? {}
    const body = { conversation_id, content: 'Hello?', client_message_id: '1' }
    const { body: message } = await call('postSessionMessage', { token, params, body })
    t.strictSame(await texts(session), ['Now', 'Five', 'Hello?'])
    t.ok(message.offset_ms >= 5 * 60_000 && message.offset_ms < 6 * 60_000)
    t.equal((await read(admin, session)).deviations.length, 1)
  })

  t.test('the first command already uses the corrected clock', async (t) => {
    const lines = [at(0, 'Now'), at(5, 'Five'), at(30, 'Thirty')]
    const { scenario_name } = await addScenario(admin, lines)
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    await miss(session, 25)
    const { token } = admin
    const params = { session_id: session._id }
    const { body } = await untilFree(() => call('endSession', { token, params }))
    t.strictSame(await texts(session), ['Now', 'Five'])
    const { elapsed_ms } = body.clock
    t.ok(elapsed_ms >= 5 * 60_000 && elapsed_ms < 25 * 60_000)
    t.equal(body.deviations.length, 1)
  })

  t.test('in which only the end was due, the session has ended at that time', async (t) => {
    const { scenario_name } = await addScenario(admin, [at(0, 'Now')])
    const session = await create(admin, { scenario_name, ends_after_minutes: 10 })
    await change('startSession', admin, session)
    await miss(session, 40)
    const ended = await becomes(admin, session, 'completed')
    t.match(ended, { clock: { elapsed_ms: 10 * 60_000, shifted_ms: 0 }, deviations: [] })
  })

  t.test('of less than a minute, all lines that were due are posted in order', async (t) => {
    const minutes = [0, 0.2, 0.4, 0.6, 0.8]
    const { scenario_name } = await addScenario(
      admin,
      minutes.map((minute) => at(minute, `${minute}`)),
    )
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    await miss(session, 1)
    t.strictSame(await waitForTexts(session, 5), minutes.map(String))
    t.strictSame((await read(admin, session)).deviations, [])
  })
})

/** Whether the service has postponed a session for a while. */
async function isPostponed({ _id }: { _id: string }): Promise<boolean> {
  const { next_due_at } = await db
    .selectFrom('simulation_sessions')
    .select('next_due_at')
    .where('_id', '=', _id)
    .executeTakeFirstOrThrow()
  return Date.parse(String(next_due_at)) > Date.now() + 2_000
}

t.test('A session that cannot continue', async (t) => {
  t.test('delays no other session, and ends at its end', async (t) => {
    const { scenario_name } = await addScenario(admin, [at(0, 'Now'), at(1, 'One')])
    const broken = await create(admin, { scenario_name, ends_after_minutes: 2 })
    const sound = await create(admin, { scenario_name, ends_after_minutes: 2 })
    for (const session of [broken, sound]) await change('startSession', admin, session)
    // Another message already has the next sequence number.
    await db
      .updateTable('session_messages')
      .set({ seq: 2 })
      .where('organization_id', '=', admin.organization_id)
      .where('session_id', '=', broken._id)
      .execute()
    for (const session of [broken, sound]) await pass(session, 1)
    await waitForTexts(sound, 2)
    await until(() => log.some((line) => line.includes(broken._id)))
    t.equal((await read(admin, broken)).status, 'running')
    await pass(sound, 1)
    await miss(broken, 1)
    await becomes(admin, sound, 'completed')
    await becomes(admin, broken, 'completed')
    t.strictSame(await texts(broken), ['Now'])
    const about = log.filter((line) => line.includes(broken._id))
    t.equal(about.length, 1, 'the log reports it once')
  })

  t.test('has its clock set back by the whole delay when it can continue', async (t) => {
    const { scenario_name } = await addScenario(admin, [at(0, 'Now'), at(1, 'One'), at(2, 'Two')])
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    const moveTo = (seq: number) =>
      db
        .updateTable('session_messages')
        .set({ seq })
        .where('organization_id', '=', admin.organization_id)
        .where('session_id', '=', session._id)
        .execute()
    await moveTo(2)
    await miss(session, 4)
    await until(() => isPostponed(session))
    t.ok(Number((await read(admin, session)).lag_ms) > 2 * 60_000, 'nothing is posted late')
    await moveTo(1)
    await db
      .updateTable('simulation_sessions')
      .set({ next_due_at: new Date().toISOString() })
      .where('organization_id', '=', admin.organization_id)
      .where('_id', '=', session._id)
      .execute()
    t.strictSame(await waitForTexts(session, 2), ['Now', 'One'])
    const { deviations } = await read(admin, session)
    t.equal(deviations.length, 1)
    t.ok(Number(deviations[0]?.shift_ms) > 2 * 60_000)
  })
})
