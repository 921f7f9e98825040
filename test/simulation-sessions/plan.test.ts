import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { addCharacter, replyOf } from '../helpers/templates.js'

const service = await startService(t)
const { call, db, registerAdmin } = service
const { addScenario, create, change, read, texts } = sessionsOf(service)
const admin = await registerAdmin()
const { organization_id } = admin

const at = (drill_minute: number, content = 'Hello') => ({ content, metadata: { drill_minute } })
const lines = (count: number, content?: string) =>
  Array.from({ length: count }, () => at(1, content))

/** Starts a scenario and returns the answer. Checks that a refusal changes nothing. */
async function tryStart(scenario_name: string, fields: object = {}) {
  const session = await create(admin, { scenario_name, ...fields })
  const params = { session_id: session._id }
  const { status, body } = await call('startSession', { token: admin.token, params })
  if (status === 409) {
    t.equal((await read(admin, session)).status, 'draft')
    t.strictSame(await auditEvents(call, admin, { case_id: session._id }).then(typesOf), [
      'session_created',
    ])
  }
  return { status, body }
}
const typesOf = (events: { event_type: string }[]) => events.map(({ event_type }) => event_type)

t.test('startSession', async (t) => {
  t.test('accepts a plan of 10,000 lines with replies, and no more', async (t) => {
    const { scenario_name } = await addScenario(admin, lines(5_000))
    const replies = await addScenario(
      admin,
      (id) => [{ ...at(1), thread_replies: Array.from({ length: 4_999 }, () => replyOf(id)) }],
      { scenario_name, channel_name: 'replies' },
    )
    const { body } = await tryStart(scenario_name)
    t.equal(body.counts.planned, 10_000)
    await addScenario(admin, lines(1), { ...replies, channel_name: 'one more' })
    const quota = { quota: 'plan_lines', used: 10_001, allowed: 10_000 }
    const tooLong = { status: 409, body: { code: 'quota_exceeded', ...quota } }
    t.match(await tryStart(scenario_name), tooLong)
    t.equal((await tryStart(scenario_name, { mode: 'external' })).status, 200, 'it has no plan')
  })

  t.test('counts a channel without messages as a line', async (t) => {
    const { scenario_name } = await addScenario(admin, lines(9_999))
    await addScenario(admin, [], { scenario_name, channel_name: 'empty' })
    t.equal((await tryStart(scenario_name)).status, 200)
    await addScenario(admin, [], { scenario_name, channel_name: 'empty too' })
    t.match(await tryStart(scenario_name), { status: 409, body: { quota: 'plan_lines' } })
  })

  t.test('accepts at most 16 MiB of text, measured with names filled in', async (t) => {
    const quota = { quota: 'plan_bytes', allowed: 16 * 1024 * 1024 }
    const tooLong = { status: 409, body: { code: 'quota_exceeded', ...quota } }
    const stored = await addScenario(admin, lines(1_700, 'x'.repeat(10_000)))
    t.match(await tryStart(stored.scenario_name), tooLong)
    const names = Array.from({ length: 3 }, () =>
      addCharacter(db, organization_id, { full_name: 'x'.repeat(200), is_bot: false }),
    )
    const participants = (await Promise.all(names)).map((user_id) => ({ user_id }))
    const named = await addScenario(admin, lines(1_700, '{{user.full_name}}'.repeat(17)))
    t.equal((await tryStart(named.scenario_name)).status, 200)
    t.match(await tryStart(named.scenario_name, { participants }), tooLong)
  })

  t.test('plans every channel of a large scenario', async (t) => {
    const names = Array.from({ length: 25 }, (_, i) => `channel ${String(i).padStart(2, '0')}`)
    const { scenario_name } = await addScenario(admin, [], { channel_name: 'out of use' })
    await db
      .updateTable('channel_templates')
      .set({ is_active: false })
      .where('scenario_name', '=', scenario_name)
      .execute()
    const speakers = new Set<string>()
    for (const channel_name of names.toReversed()) {
      const prepared = [at(0, `In ${channel_name}`)]
      const { character_id } = await addScenario(admin, prepared, { scenario_name, channel_name })
      speakers.add(character_id)
    }
    const session = await create(admin, { scenario_name })
    const { conversations } = await change('startSession', admin, session)
    t.strictSame(
      conversations.map(({ channel_name }) => channel_name),
      names,
    )
    t.strictSame(
      await texts(session),
      names.map((name) => `In ${name}`),
    )
    const { cast_ids } = await db
      .selectFrom('simulation_sessions')
      .select('cast_ids')
      .where('_id', '=', session._id)
      .executeTakeFirstOrThrow()
    t.strictSame(new Set(cast_ids), speakers)
  })

  t.test('returns at most 1,000 warnings about lines', async (t) => {
    const nowhere = lines(1_200).map(() => ({}))
    const { scenario_name } = await addScenario(admin, [at(1), ...nowhere])
    const { body } = await tryStart(scenario_name)
    const ofLines = body.warnings.filter(({ field }: { field: string }) => field === 'home')
    t.strictSame([body.counts.planned, ofLines.length], [1, 1_000])
  })

  t.test('ignores stored values with a wrong type or out of bounds', async (t) => {
    const expectation = { act: 'decide', deadline_minutes: 5, options: ['a'] }
    const stored: object[] = [
      { content: 'far', offset_hours: -1, metadata: { drill_minute: 1e300 } },
      { content: 'text', offset_hours: -1, metadata: { drill_minute: '5' } },
      { content: 'names', metadata: { drill_minute: 0, kind: {}, beat: [], fallback_for: {} } },
      { content: 'arm', metadata: { drill_minute: 0, arm: { toString: 1 } } },
      ...[
        { ...expectation, act: { toString: null } },
        { ...expectation, options: [1] },
        { ...expectation, deadline_minutes: 1e300 },
        { ...expectation, deadline_minutes: '5' },
        'decide',
      ].map((one) => ({ content: 'waits', metadata: { drill_minute: 0, expectation: one } })),
    ]
    const { scenario_name } = await addScenario(admin, stored)
    const session = await create(admin, { scenario_name })
    const started = await change('startSession', admin, session)
    t.strictSame(started.warnings, [])
    const rows = await db
      .selectFrom('session_messages')
      .selectAll()
      .where('session_id', '=', session._id)
      .orderBy('seq')
      .execute()
    const answer = { act: 'answer', deadline_minutes: 5, options: ['a'] }
    t.match(rows, [
      { content: 'far', offset_ms: -3_600_000 },
      { content: 'text', offset_ms: -3_600_000 },
      { content: 'names', kind: null, beat: null },
      { content: 'arm' },
      { expectation: answer },
      { expectation: { ...expectation, options: [] } },
      { expectation: null },
      { expectation: null },
      { expectation: null },
    ])
  })

  t.test('ignores stored hours and minutes that are out of bounds', async (t) => {
    const { scenario_name, channel_id } = await addScenario(admin, (id) => [
      { ...at(0, 'hours'), offset_hours: 1e300 },
      { ...at(0, 'minutes'), thread_replies: [replyOf(id, { offset_minutes: -1e300 })] },
    ])
    const session = await create(admin, { scenario_name, timing: 'calendar' })
    t.equal((await change('startSession', admin, session)).status, 'running')
    t.equal((await texts(session)).length, 3)
    const { status, body } = await call('previewChannelTemplate', {
      token: admin.token,
      params: { template_id: channel_id },
      body: { start_at: '2026-11-23T08:00:00Z' },
    })
    t.equal(status, 200)
    t.match(body.messages, [{ post_at: '2026-11-23T08:00:00+00:00' }])
  })
})
