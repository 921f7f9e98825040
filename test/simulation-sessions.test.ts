import { createId } from '../src/identifiers.js'
import { t } from './helpers/file.js'
import { auditEvents, startService } from './helpers/service.js'
import { sessionsOf } from './helpers/sessions.js'

const service = await startService(t)
const { call, db, registerAdmin, addMember } = service
const { addScenario, create, change, read } = sessionsOf(service)
const admin = await registerAdmin()
const { token, organization_id } = admin

t.test('createSession', async (t) => {
  t.test('keeps what was asked for, with defaults for the rest', async (t) => {
    const hr = await addMember(organization_id, 'hr')
    const rater = await addMember(organization_id, 'executive')
    const body = {
      name: 'Tuesday',
      scenario_name: 'hr_workforce',
      timing: 'calendar',
      speed: 60,
      mode: 'external',
      starts_at: '2999-12-01T09:00:00+01:00',
      ends_after_minutes: 120,
      rater_ids: [rater.user_id, rater.user_id],
      metadata: { room: 'Blue' },
      participants: [{ user_id: hr.user_id, role_key: 'case_handler' }, { user_id: admin.user_id }],
    }
    const { status, body: session } = await call('createSession', { token: hr.token, body })
    t.equal(status, 201)
    t.match(session, {
      ...{ name: 'Tuesday', timing: 'calendar', speed: 60, mode: 'external', status: 'scheduled' },
      ...{ starts_at: '2999-12-01T08:00:00.000Z', next_due_at: '2999-12-01T08:00:00.000Z' },
      ...{ ends_after_minutes: 120, rater_ids: [rater.user_id], metadata: { room: 'Blue' } },
      ...{ counts: { participants: 2, joined: 0 }, lag_ms: 0, created_by: hr.user_id },
    })
    t.strictSame(await read(admin, session), session)
    const plain = await create(admin, { scenario_name: 'any' })
    t.match(plain, {
      ...{ timing: 'drill', speed: 1, mode: 'scripted', status: 'draft', rater_ids: [] },
      ...{ starts_at: null, ends_after_minutes: null, metadata: {}, next_due_at: null },
    })
    const [event] = await auditEvents(call, admin, { case_id: session._id })
    t.match(event, {
      ...{ category: 'simulation_session', event_type: 'session_created', status: 'success' },
      actor_id: hr.user_id,
    })
  })

  t.test('names every participant and rater who cannot be one, at the place', async (t) => {
    const stranger = await registerAdmin()
    const bot = await addMember(organization_id, 'bot')
    const employee = await addMember(organization_id, 'employee')
    const participants = [
      { user_id: stranger.user_id },
      { user_id: bot.user_id },
      { user_id: 'nobody' },
      { user_id: admin.user_id, role_key: 'jester' },
      { user_id: admin.user_id },
    ]
    const body = { name: 'x', scenario_name: 'hr_workforce', participants }
    const { status, body: refused } = await call('createSession', { token, body })
    t.equal(status, 422)
    t.strictSame(
      refused.detail.map(({ loc }: { loc: string[] }) => loc.slice(2).join('.')),
      ['0.user_id', '1.user_id', '2.user_id', '3.role_key', '4.user_id'],
    )
    t.match(refused.detail[3].msg, /case_handler/)
    const both = { participants: [{ user_id: 'nobody' }], rater_ids: [employee.user_id] }
    const raters = { name: 'x', scenario_name: 'any', ...both }
    t.match((await call('createSession', { token, body: raters })).body.detail, [
      { loc: ['body', 'participants', '0', 'user_id'] },
      { loc: ['body', 'rater_ids', '0'] },
    ])
  })

  t.test('refuses what does not fit', async (t) => {
    for (const [field, value] of Object.entries({
      ...{ name: ' ', scenario_name: '', speed: 3601, ends_after_minutes: 0 },
      ...{ timing: 'soon', mode: 'live', starts_at: 'noon', participants: {} },
    })) {
      const body = { name: 'x', scenario_name: 'any', [field]: value }
      const { status, body: refused } = await call('createSession', { token, body })
      t.match([status, refused.detail[0].loc], [422, ['body', field]], field)
    }
  })

  t.test('makes one in another organization for a super_admin only', async (t) => {
    const other = await registerAdmin()
    const body = { name: 'x', scenario_name: 'any', organization_id: other.organization_id }
    t.equal((await call('createSession', { token, body })).status, 404)
    const root = await addMember(organization_id, 'super_admin')
    const { body: session } = await call('createSession', { token: root.token, body })
    t.equal(session.organization_id, other.organization_id)
    t.equal((await change('endSession', root, session)).status, 'cancelled')
  })
})

t.test('listSessions', async (t) => {
  const chief = await registerAdmin()
  const names = ['Early shift', 'Late shift', 'Night']
  const sessions: { _id: string }[] = []
  for (const name of names) sessions.push(await create(chief, { name, scenario_name: name }))

  const list = async (as: string, query: Record<string, string> = {}) =>
    (await call('listSessions', { token: as, query })).body.map((one: { name: string }) => one.name)

  t.test('has the newest first, page by page, by what is asked for', async (t) => {
    t.strictSame(await list(chief.token), names.toReversed())
    t.strictSame(await list(chief.token, { name: 'SHIFT' }), ['Late shift', 'Early shift'])
    t.strictSame(await list(chief.token, { scenario_name: 'Night' }), ['Night'])
    t.strictSame(await list(chief.token, { status: 'running' }), [])
    const first = await call('listSessions', { token: chief.token, query: { limit: '2' } })
    t.equal(first.body.length, 2)
    const next = new URL(String(first.headers.get('link')?.match(/<(.*)>/)?.[1]), 'http://x')
    t.strictSame(await list(chief.token, Object.fromEntries(next.searchParams)), ['Early shift'])
  })

  t.test('reads the templates of a scenario once, however many sessions it has', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    const long = Array.from({ length: 450 }, (_, i) => ({ content: `${i}` }))
    const { scenario_name } = await addScenario(admin, long)
    const bot = await addMember(organization_id, 'bot')
    const employee = await addMember(organization_id, 'employee')
    const addSessions = async (count: number) => {
      const one = { organization_id, name: 'Empty', scenario_name, status: 'draft' as const }
      const kind = { timing: 'drill' as const, speed: 1, mode: 'scripted' as const }
      const rows = Array.from({ length: count }, () => ({ ...one, ...kind, _id: createId() }))
      await db.insertInto('simulation_sessions').values(rows).execute()
    }
    const timeOf = async (token: string) => {
      const start = performance.now()
      for (let i = 0; i < 3; i++) t.strictSame(await list(token), [])
      return performance.now() - start
    }
    await addSessions(1)
    const once = Math.max(await timeOf(bot.token), 30)
    await addSessions(999)
    for (const { token } of [bot, employee]) {
      const often = await timeOf(token)
      t.ok(often < 10 * once, `${often} ms beside ${once} ms`)
    }
  })

  t.test('has for everybody else those in which they have a part', async (t) => {
    const employee = await addMember(chief.organization_id, 'employee')
    const executive = await addMember(chief.organization_id, 'executive')
    t.strictSame(await list(employee.token), [])
    const participants = [{ user_id: employee.user_id }]
    const rater_ids = [executive.user_id]
    const both = {
      name: 'Both',
      scenario_name: 'any',
      participants: [{ user_id: executive.user_id }],
    }
    const refused = await call('createSession', {
      token: chief.token,
      body: { ...both, rater_ids },
    })
    t.match(refused.body.detail, [{ loc: ['body', 'rater_ids', '0'], msg: /takes part/ }])
    const mine = await create(chief, {
      name: 'Mine',
      scenario_name: 'any',
      participants,
      rater_ids,
    })
    t.strictSame(await list(employee.token), ['Mine'])
    t.strictSame(await list(executive.token), ['Mine'])
    t.equal((await read(employee, mine)).name, 'Mine')
    const { metadata, warnings, counts, next_due_at } = await read(employee, mine)
    t.match({ metadata, warnings, next_due_at }, { metadata: {}, warnings: [], next_due_at: null })
    t.match(counts, { participants: 1, planned: null, posted: null, withheld: null })
    t.strictSame((await read(executive, mine)).rater_ids, [])
    const params = { session_id: sessions[0]?._id ?? '' }
    t.equal((await call('getSession', { token: employee.token, params })).status, 404)
    const demoted = { params: { user_id: executive.user_id }, body: { role: 'employee' } }
    await call('updateUser', { token: chief.token, ...demoted })
    t.strictSame(await list(executive.token), [], 'who may rate no more')
  })

  t.test('has for bots those in whose cast they are', async (t) => {
    await call('applyQuickSetup', { token: chief.token, body: { team_size: 2 } })
    const { _id: user_id } = await db
      .selectFrom('users')
      .select('_id')
      .where('organization_id', '=', chief.organization_id)
      .where('is_bot', '=', true)
      .limit(1)
      .executeTakeFirstOrThrow()
    const { body } = await call('createApiKey', {
      token: chief.token,
      params: { user_id },
      body: { name: 'Runtime' },
    })
    const session = await create(chief, { name: 'Cast', scenario_name: 'hr_workforce' })
    t.strictSame(await list(body.api_key), ['Cast'])
    await change('startSession', chief, session)
    t.strictSame(await list(body.api_key), ['Cast'])
    t.equal((await read({ ...chief, token: body.api_key }, session)).status, 'running')
  })
})

t.test('getSession', async (t) => {
  t.test('has a tag that time does not change, and people do', async (t) => {
    const { scenario_name } = await addScenario(admin, [{ metadata: { drill_minute: 0 } }])
    const session = await create(admin, { scenario_name })
    const params = { session_id: session._id }
    const tag = async () => (await call('getSession', { token, params })).headers.get('etag')
    const draft = await tag()
    t.equal(await tag(), draft)
    await change('startSession', admin, session)
    const running = await tag()
    t.not(running, draft)
    t.equal(await tag(), running)
    for (const session_id of [createId(), 'x', (await registerAdmin()).user_id]) {
      const { status, body } = await call('getSession', { token, params: { session_id } })
      t.match([status, body.code], [404, 'session_not_found'])
    }
  })
})

t.test('updateSession', async (t) => {
  const update = (session_id: string, body: object, headers = {}) =>
    call('updateSession', { token, params: { session_id }, body, headers })

  t.test('changes what is given before the start, and schedules a draft', async (t) => {
    const { _id } = await create(admin, { scenario_name: 'any', metadata: { room: 1, door: 2 } })
    const { body } = await update(_id, { name: 'Wednesday', speed: 2, metadata: { room: null } })
    t.match(body, { name: 'Wednesday', speed: 2, timing: 'drill', metadata: { door: 2 } })
    const { body: planned } = await update(_id, { starts_at: '2999-01-01T00:00:00Z' })
    t.match(planned, { status: 'scheduled', next_due_at: '2999-01-01T00:00:00.000Z' })
    t.match(await auditEvents(call, admin, { case_id: _id }), [
      { event_type: 'session_scheduled' },
      { event_type: 'session_updated' },
      { event_type: 'session_updated', metadata: { changes: { name: { to: 'Wednesday' } } } },
      { event_type: 'session_created' },
    ])
    t.strictSame((await update(_id, { speed: null, name: 'Wednesday' })).body, planned)
    t.equal((await auditEvents(call, admin, { case_id: _id })).length, 4, 'nothing, no event')
  })

  t.test('keeps after the start what is fixed then', async (t) => {
    const { scenario_name } = await addScenario(admin, [{ metadata: { drill_minute: 0 } }])
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    for (const field of [{ name: 'x' }, { speed: 9 }, { starts_at: '2999-01-01T00:00:00Z' }]) {
      const { status, body } = await update(session._id, field)
      t.match([status, body], [409, { code: 'session_started', current_status: 'running' }])
    }
    const { status, body } = await update(session._id, {
      name: 'Tuesday',
      metadata: { late: true },
    })
    t.match([status, body.metadata], [200, { late: true }])
  })

  t.test('is refused where it was cancelled before it started, but for its metadata', async (t) => {
    const session = await create(admin, { scenario_name: 'any' })
    await change('endSession', admin, session)
    const { status, body } = await update(session._id, { name: 'x' })
    t.match([status, body], [409, { code: 'session_ended', current_status: 'cancelled' }])
    t.equal((await update(session._id, { metadata: { why: 'rain' } })).status, 200)
  })

  t.test('is made to the very state that was read', async (t) => {
    const { _id } = await create(admin, { scenario_name: 'any' })
    const params = { session_id: _id }
    const { headers } = await call('getSession', { token, params })
    const match = { 'if-match': String(headers.get('etag')) }
    t.equal((await update(_id, { name: 'One' }, match)).status, 200)
    t.equal((await update(_id, { name: 'Two' }, match)).status, 412)
    t.equal((await read(admin, { _id })).name, 'One')
  })
})
