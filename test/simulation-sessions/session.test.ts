import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'

const service = await startService(t)
const { call, registerAdmin, addMember } = service
const { addScenario, create, change, read } = sessionsOf(service)
const admin = await registerAdmin()
const { token, organization_id } = admin

/** A session without the time at which it was read. */
const timeless = ({ clock, ...session }: Schema<'SimulationSession'>) => ({
  ...session,
  clock: { ...clock, as_of: null },
})

t.test('createSession', async (t) => {
  t.test('stores the request, with defaults for the rest', async (t) => {
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
      name: 'Tuesday',
      timing: 'calendar',
      speed: 60,
      mode: 'external',
      status: 'scheduled',
      starts_at: '2999-12-01T08:00:00.000Z',
      next_due_at: '2999-12-01T08:00:00.000Z',
      ...{ ends_after_minutes: 120, rater_ids: [rater.user_id], metadata: { room: 'Blue' } },
      ...{ counts: { participants: 2, joined: 0 }, lag_ms: 0, created_by: hr.user_id },
    })
    t.strictSame(timeless(await read(admin, session)), timeless(session))
    const plain = await create(admin, { scenario_name: 'hr_workforce' })
    t.match(plain, {
      timing: 'drill',
      speed: 1,
      mode: 'scripted',
      status: 'draft',
      rater_ids: [],
      ...{ starts_at: null, ends_after_minutes: null, metadata: {}, next_due_at: null },
    })
    const [event] = await auditEvents(call, admin, { case_id: session._id })
    t.match(event, {
      category: 'simulation_session',
      event_type: 'session_created',
      status: 'success',
      actor_id: hr.user_id,
    })
  })

  t.test('reports where each invalid participant and rater is', async (t) => {
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
    const raters = { name: 'x', scenario_name: 'hr_workforce', ...both }
    t.match((await call('createSession', { token, body: raters })).body.detail, [
      { loc: ['body', 'participants', '0', 'user_id'] },
      { loc: ['body', 'rater_ids', '0'] },
    ])
  })

  t.test('refuses invalid values', async (t) => {
    for (const [field, value] of Object.entries({
      name: ' ',
      scenario_name: '',
      speed: 3601,
      ends_after_minutes: 0,
      ...{ timing: 'soon', mode: 'live', starts_at: 'noon', participants: {} },
    })) {
      const body = { name: 'x', scenario_name: 'hr_workforce', [field]: value }
      const { status, body: refused } = await call('createSession', { token, body })
      t.match([status, refused.detail[0].loc], [422, ['body', field]], field)
    }
  })

  t.test('creates a session in another organization for a super_admin', async (t) => {
    const other = await registerAdmin()
    const body = {
      name: 'x',
      scenario_name: 'hr_workforce',
      organization_id: other.organization_id,
    }
    const root = await addMember(organization_id, 'super_admin')
    const { body: session } = await call('createSession', { token: root.token, body })
    t.equal(session.organization_id, other.organization_id)
    t.equal((await change('endSession', root, session)).status, 'cancelled')
  })
})

t.test('getSession', async (t) => {
  t.test('has an ETag that changes with edits, but not with time', async (t) => {
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
    const unknown = await call('getSession', { token, params: { session_id: createId() } })
    t.equal(unknown.body.code, 'session_not_found')
  })
})

t.test('updateSession', async (t) => {
  const update = (session_id: string, body: object, headers = {}) =>
    call('updateSession', { token, params: { session_id }, body, headers })

  t.test('changes the given fields before the start, and schedules a draft', async (t) => {
    const { _id } = await create(admin, {
      scenario_name: 'hr_workforce',
      metadata: { room: 1, door: 2 },
    })
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
    const { body: same } = await update(_id, { speed: null, name: 'Wednesday' })
    t.strictSame(timeless(same), timeless(planned))
    t.equal((await auditEvents(call, admin, { case_id: _id })).length, 4, 'no change, no event')
  })

  t.test('makes a scheduled session a draft again, which can be deleted', async (t) => {
    const starts_at = '2999-01-01T00:00:00.000Z'
    const { _id } = await create(admin, { scenario_name: 'hr_workforce', starts_at })
    const { body } = await update(_id, { clear: ['starts_at'], starts_at: null })
    t.match(body, { status: 'draft', starts_at: null, next_due_at: null })
    t.match(await auditEvents(call, admin, { case_id: _id }), [
      {
        event_type: 'session_unscheduled',
        metadata: { changes: { status: { from: 'scheduled', to: 'draft' } } },
      },
      {
        event_type: 'session_updated',
        metadata: { changes: { starts_at: { from: starts_at, to: null } } },
      },
      { event_type: 'session_created' },
    ])
    const { body: again } = await update(_id, { clear: ['starts_at'] })
    t.strictSame(timeless(again), timeless(body))
    t.equal((await auditEvents(call, admin, { case_id: _id })).length, 3, 'no change, no event')
    t.equal((await update(_id, { starts_at })).body.status, 'scheduled')
    t.equal((await update(_id, { clear: ['starts_at'] })).body.status, 'draft')
    const deleted = await call('deleteSession', { token, params: { session_id: _id } })
    t.equal(deleted.status, 204)
  })

  t.test('refuses to clear a field that it also sets, or that has no empty value', async (t) => {
    const starts_at = '2999-01-01T00:00:00.000Z'
    const { _id } = await create(admin, { scenario_name: 'hr_workforce', starts_at })
    for (const [body, place, type] of [
      [{ clear: ['starts_at'], starts_at }, 'clear,0', 'cleared_and_set'],
      [
        { clear: ['starts_at', 'ends_after_minutes'], ends_after_minutes: 5 },
        ...['clear,1', 'cleared_and_set'],
      ],
      [{ clear: ['speed'] }, 'clear,0', 'literal_error'],
      [{ clear: 'starts_at' }, 'clear', 'list_type'],
    ] as const) {
      const answer = await update(_id, body)
      t.equal(answer.status, 422)
      const [{ loc, type: found }] = answer.body.detail
      t.strictSame([loc.slice(1).join(), found], [place, type], JSON.stringify(body))
    }
    t.match(await read(admin, { _id }), { starts_at, status: 'scheduled' })
  })

  t.test('clears no time after the start', async (t) => {
    const { scenario_name } = await addScenario(admin, [{ metadata: { drill_minute: 0 } }])
    const session = await create(admin, { scenario_name, ends_after_minutes: 5 })
    await change('startSession', admin, session)
    const { status, body } = await update(session._id, { clear: ['ends_after_minutes'] })
    t.match([status, body], [409, { code: 'session_started', current_status: 'running' }])
    t.equal((await read(admin, session)).ends_after_minutes, 5)
  })

  t.test('changes only the metadata after the start', async (t) => {
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

  t.test('is refused after a cancellation before the start, except for metadata', async (t) => {
    const session = await create(admin, { scenario_name: 'hr_workforce' })
    await change('endSession', admin, session)
    const { status, body } = await update(session._id, { name: 'x' })
    t.match([status, body], [409, { code: 'session_ended', current_status: 'cancelled' }])
    t.equal((await update(session._id, { metadata: { why: 'rain' } })).status, 200)
  })

  t.test('refuses a change of an old version', async (t) => {
    const { _id } = await create(admin, { scenario_name: 'hr_workforce' })
    const params = { session_id: _id }
    const { headers } = await call('getSession', { token, params })
    const match = { 'if-match': String(headers.get('etag')) }
    t.equal((await update(_id, { name: 'One' }, match)).status, 200)
    t.equal((await update(_id, { name: 'Two' }, match)).status, 412)
    t.equal((await read(admin, { _id })).name, 'One')
  })
})
