import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { auditEvents, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { replyOf } from '../helpers/templates.js'

const service = await startService(t)
const { call, db, registerAdmin } = service
const { addScenario, create, change, read, pass, messages, texts, waitForTexts, becomes } =
  sessionsOf(service)

const at = (drill_minute: number, content: string, metadata: object = {}) => ({
  content,
  metadata: { drill_minute, ...metadata },
})

t.test('startSession', async (t) => {
  const admin = await registerAdmin()
  const { token } = admin

  t.test('posts history immediately, and later lines at their minute', async (t) => {
    const { scenario_name, channel_id, character_id } = await addScenario(admin, [
      { content: 'Yesterday', offset_hours: -20 },
      at(0, 'Now'),
      at(10, 'Later'),
      { content: 'Last week', offset_hours: -120 },
    ])
    const session = await create(admin, { scenario_name })
    t.match(session, { status: 'draft', conversations: [], clock: { elapsed_ms: null } })
    const started = await change('startSession', admin, session)
    t.match(started, {
      status: 'running',
      counts: { planned: 4, posted: 3, messages: 3 },
      warnings: [],
      conversations: [{ channel_id, channel_name: 'home' }],
    })
    const [conversation] = started.conversations
    t.match(await messages(session), [
      { seq: 1, content: 'Last week', offset_ms: -120 * 3_600_000, sender_id: character_id },
      { seq: 2, content: 'Yesterday', sender_kind: 'character', thread_id: null },
      {
        seq: 3,
        content: 'Now',
        offset_ms: 0,
        conversation_id: conversation?.conversation_id,
      },
    ])
    t.equal(
      Date.parse(String(started.next_due_at)) - Date.parse(String(started.started_at)),
      10 * 60_000,
    )
    await pass(session, 10)
    t.strictSame(await waitForTexts(session, 4), ['Last week', 'Yesterday', 'Now', 'Later'])
    const delivered = { case_id: session._id, event_type: 'message_delivered' }
    const deliveries = await auditEvents(call, admin, delivered)
    t.equal(deliveries.length, 4)
    for (const { actor_type, actor_id } of deliveries) {
      t.strictSame([actor_type, actor_id], ['system', null], 'also for the start')
    }
  })

  t.test('runs the clock faster with a higher speed', async (t) => {
    const { scenario_name } = await addScenario(admin, [at(0, 'Now'), at(60, 'In a second')])
    const session = await create(admin, { scenario_name, speed: 3600 })
    await change('startSession', admin, session)
    t.strictSame(await waitForTexts(session, 2), ['Now', 'In a second'])
  })

  t.test('uses hours and minutes when the timing is calendar', async (t) => {
    const { scenario_name } = await addScenario(admin, (character_id) => [
      { content: 'Tomorrow', offset_hours: 24, metadata: { drill_minute: 0 } },
      {
        content: 'At nine',
        thread_replies: [replyOf(character_id, { content: 'At ten past', offset_minutes: 10 })],
      },
    ])
    const session = await create(admin, { scenario_name, timing: 'calendar' })
    await change('startSession', admin, session)
    t.strictSame(await texts(session), ['At nine'])
    await pass(session, 10)
    t.strictSame(await waitForTexts(session, 2), ['At nine', 'At ten past'])
    const [root, reply] = await messages(session)
    t.equal(reply?.thread_id, root?._id)
    await pass(session, 24 * 60 - 10)
    t.strictSame((await waitForTexts(session, 3)).at(-1), 'Tomorrow')
    t.equal((await read(admin, session)).status, 'running', 'a day is left for answers')
    await pass(session, 24 * 60)
    await becomes(admin, session, 'completed')
  })

  t.test('leaves out lines without a drill minute, with a warning', async (t) => {
    const { scenario_name } = await addScenario(admin, [
      { content: 'Some time', offset_hours: 3 },
      at(0, 'Now'),
    ])
    const session = await create(admin, { scenario_name })
    const { warnings, counts } = await change('startSession', admin, session)
    t.match(warnings, [{ field: 'home', value: 'Some time', message: /no drill_minute/ }])
    t.equal(counts.planned, 1)
  })

  t.test('plans nothing for a session in external mode', async (t) => {
    const { scenario_name } = await addScenario(admin, [at(0, 'Now')])
    const session = await create(admin, { scenario_name, mode: 'external' })
    const { counts, conversations, next_due_at } = await change('startSession', admin, session)
    t.match([counts.planned, conversations.length, next_due_at], [0, 1, null])

    const { organization_id } = admin
    await setLimits(db, organization_id, { plan_lines: 0 })
    t.teardown(() => setLimits(db, organization_id, { plan_lines: null }))
    const beyond = await create(admin, { scenario_name, mode: 'external' })
    t.equal(
      (await change('startSession', admin, beyond)).status,
      'running',
      'the limit of lines does not apply',
    )
  })

  t.test('is not suggested when resumeSession refuses a draft', async (t) => {
    const { _id: session_id } = await create(admin, { scenario_name: 'hr_workforce' })
    const { status, body } = await call('resumeSession', { token, params: { session_id } })
    t.equal(status, 409)
    t.strictSame(body.allowed_statuses, ['scheduled', 'cancelled'])
  })

  t.test('happens only once', async (t) => {
    const { scenario_name } = await addScenario(admin, [at(0, 'Now')])
    const session = await create(admin, { scenario_name })
    const params = { session_id: session._id }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call('startSession', { token, params })),
    )
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409])
    t.strictSame(await texts(session), ['Now'])
    for (const { status, body } of answers) {
      if (status === 409 && body.code !== 'busy') {
        t.match(body, { code: 'invalid_status_transition', current_status: 'running' })
      }
    }
    const events = await auditEvents(call, admin, { case_id: session._id })
    t.strictSame(events.map(({ event_type }) => event_type).sort(), [
      'message_delivered',
      'session_created',
      'session_started',
    ])
  })

  t.test('fixes the plan, so later changes of templates have no effect', async (t) => {
    const { scenario_name, channel_id } = await addScenario(admin, [at(0, 'Now'), at(5, 'Five')])
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    await call('deleteChannelTemplate', { token, params: { template_id: channel_id } })
    await pass(session, 5)
    t.strictSame(await waitForTexts(session, 2), ['Now', 'Five'])
  })
})

t.test('pauseSession', async (t) => {
  const admin = await registerAdmin()

  t.test('stops the clock, and resumeSession continues it where it stood', async (t) => {
    const { scenario_name } = await addScenario(admin, [at(0, 'Now'), at(20, 'Twenty')])
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    await pass(session, 10)
    const paused = await change('pauseSession', admin, session)
    t.match(paused, { status: 'paused', next_due_at: null, lag_ms: null })
    await pass(session, 0)
    const later = await read(admin, session)
    t.equal(later.clock.elapsed_ms, paused.clock.elapsed_ms, 'the clock stands still')
    const resumed = await change('resumeSession', admin, session)
    t.equal(resumed.status, 'running')
    const left = Date.parse(String(resumed.next_due_at)) - Date.now()
    t.ok(left > 8 * 60_000 && left <= 10 * 60_000, 'ten minutes are left, as before')
    t.strictSame(await texts(session), ['Now'])
    await pass(session, 10)
    t.strictSame(await waitForTexts(session, 2), ['Now', 'Twenty'])
  })

  t.test('requires a running session', async (t) => {
    const session = await create(admin, { scenario_name: 'hr_workforce' })
    const params = { session_id: session._id }
    const others = {
      pauseSession: ['scheduled', 'running', 'cancelled'],
      resumeSession: ['scheduled', 'cancelled'],
    }
    for (const operationId of ['pauseSession', 'resumeSession'] as const) {
      const { status, body } = await call(operationId, { token: admin.token, params })
      t.match([status, body.current_status], [409, 'draft'])
      t.strictSame(body.allowed_statuses, others[operationId])
    }
  })
})

t.test('resumeSession', async (t) => {
  const admin = await registerAdmin()

  t.test('records a reason in the audit trail when one is given', async (t) => {
    const { scenario_name } = await addScenario(admin, [at(0, 'Now')])
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    const params = { session_id: session._id }
    const reason = 'The fire alarm went off.'
    await call('pauseSession', { token: admin.token, params, body: { reason } })
    await call('resumeSession', { token: admin.token, params, body: {} })
    t.match(await auditEvents(call, admin, { case_id: session._id }), [
      { event_type: 'session_resumed', metadata: {}, actor_id: admin.user_id },
      { event_type: 'session_paused', metadata: { reason } },
    ])
  })
})

t.test('endSession', async (t) => {
  const admin = await registerAdmin()

  t.test('completes a running session, cancels an unstarted one, and is final', async (t) => {
    const { scenario_name } = await addScenario(admin, [at(0, 'Now'), at(5, 'Five')])
    const running = await create(admin, { scenario_name })
    await change('startSession', admin, running)
    const ended = await change('endSession', admin, running)
    t.match(ended, { status: 'completed', next_due_at: null, counts: { posted: 1, planned: 2 } })
    const draft = await create(admin, { scenario_name })
    t.equal((await change('endSession', admin, draft)).status, 'cancelled')
    for (const session of [running, draft]) {
      for (const operationId of ['startSession', 'pauseSession', 'resumeSession', 'endSession']) {
        const { status, body } = await call(operationId as 'endSession', {
          token: admin.token,
          params: { session_id: session._id },
        })
        t.match([status, body.allowed_statuses], [409, []])
      }
    }
  })

  t.test('cancels a paused session on request', async (t) => {
    const { scenario_name } = await addScenario(admin, [at(0, 'Now')])
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    const paused = await change('pauseSession', admin, session)
    const params = { session_id: session._id }
    const body = { status: 'cancelled', reason: 'Nobody came.' }
    const { body: ended } = await call('endSession', { token: admin.token, params, body })
    t.match(ended, { status: 'cancelled', clock: { elapsed_ms: paused.clock.elapsed_ms } })
  })
})
