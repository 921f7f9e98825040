import type { OperationId } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { type Answer, type Member, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { addCharacter, replyOf, rowsWritten } from '../helpers/templates.js'

const service = await startService(t)
const { call, db, registerAdmin, addMember } = service
const { addScenario, create, change, read } = sessionsOf(service)

const exceeded = (quota: string, used: number, allowed: number) => ({
  status: 409,
  body: { code: 'quota_exceeded', quota, used, allowed },
})

type Attempt = (as: Member, name: string) => Promise<Answer>

/**
 * Checks that a limit with room for one attempt refuses the second, which then changes nothing,
 * and that it does not affect another organization.
 */
async function checkLimit(
  t: { match: typeof import('tap').t.match; strictSame: typeof import('tap').t.strictSame },
  quota: string,
  attempt: Attempt,
  { used = 0 } = {},
): Promise<void> {
  const admin = await registerAdmin()
  const { organization_id } = admin
  await setLimits(db, organization_id, { [quota]: used + 1 })
  t.match(await attempt(admin, 'one'), { status: /^20/ }, 'there is room')
  const before = await rowsWritten(db, organization_id)
  t.match(await attempt(admin, 'two'), exceeded(quota, used + 1, used + 1))
  t.strictSame(await rowsWritten(db, organization_id), before, 'nothing is stored')
  const other = await registerAdmin()
  for (const name of ['one', 'two']) t.match(await attempt(other, name), { status: /^20/ })
}

const person = (email: string) => ({ first_name: 'Tomás', last_name: 'Herrera', email })
const invite: Attempt = ({ token, organization_id }) =>
  call('inviteMember', {
    token,
    params: { organization_id },
    body: person(`${createId()}@example.com`),
  })
const template = (channel_name: string, fields = {}) => ({
  scenario_name: 'hr_workforce',
  channel_name,
  message_templates: [],
  ...fields,
})
const post =
  (operationId: OperationId, bodyOf: (name: string) => object): Attempt =>
  ({ token }, name) =>
    call(operationId, { token, body: bodyOf(name) })

/** A planned message of a drill. */
const line = { metadata: { drill_minute: 5 } }

t.test('A limit of', async (t) => {
  t.test('people, and a limit of invitations', async (t) => {
    await checkLimit(t, 'people', invite, { used: 1 })
    await checkLimit(t, 'invitations', invite)
  })

  t.test('people, with a list that is invited completely or not at all', async (t) => {
    const { token, organization_id } = await registerAdmin()
    await setLimits(db, organization_id, { people: 3 })
    const send = (count: number) => {
      const invitations = Array.from({ length: count }, () => person(`${createId()}@example.com`))
      return call('inviteMembers', { token, params: { organization_id }, body: { invitations } })
    }
    const before = await rowsWritten(db, organization_id)
    t.match(await send(3), exceeded('people', 1, 3))
    t.strictSame(await rowsWritten(db, organization_id), before)
    t.equal((await send(2)).status, 200)
    t.match(await send(1), exceeded('people', 3, 3))
  })

  t.test('api_keys', async (t) => {
    const bots = new Map<string, string>()
    await checkLimit(t, 'api_keys', async ({ token, organization_id }, name) => {
      const user_id = bots.get(organization_id) ?? (await addCharacter(db, organization_id))
      bots.set(organization_id, user_id)
      return call('createApiKey', { token, params: { user_id }, body: { name } })
    })
  })

  t.test('experiments', async (t) => {
    await checkLimit(
      t,
      'experiments',
      post('createExperiment', (name) => ({ name })),
    )
  })

  t.test('templates, and a limit of templates per scenario', async (t) => {
    await checkLimit(t, 'templates', post('createChannelTemplate', template))
    await checkLimit(t, 'scenario_templates', post('createChannelTemplate', template))
  })

  t.test('sessions, and a limit of scheduled sessions', async (t) => {
    const session = (name: string) => ({ name, scenario_name: 'hr_workforce' })
    await checkLimit(t, 'sessions', post('createSession', session))
    const starts_at = '2099-01-01T00:00:00Z'
    const scheduled = (name: string) => ({ ...session(name), starts_at })
    await checkLimit(t, 'sessions_scheduled', post('createSession', scheduled))
    const admin = await registerAdmin()
    await setLimits(db, admin.organization_id, { sessions_scheduled: 0 })
    const draft = await create(admin, session('one'))
    const { token } = admin
    const params = { session_id: draft._id }
    const answer = await call('updateSession', { token, params, body: { starts_at } })
    t.match(answer, exceeded('sessions_scheduled', 0, 0))
    t.match(await read(admin, draft), { status: 'draft', starts_at: null })
  })

  t.test('sessions_running, which includes paused sessions', async (t) => {
    const admin = await registerAdmin()
    await setLimits(db, admin.organization_id, { sessions_running: 1 })
    const { scenario_name } = await addScenario(admin, [line])
    const [first, second] = [
      await create(admin, { scenario_name }),
      await create(admin, { scenario_name }),
    ]
    await change('startSession', admin, first)
    await change('pauseSession', admin, first)
    const { token } = admin
    const start = () => call('startSession', { token, params: { session_id: second._id } })
    t.match(await start(), exceeded('sessions_running', 1, 1))
    t.match(await read(admin, second), { status: 'draft', counts: { planned: 0 } })
    await change('resumeSession', admin, first)
    await change('endSession', admin, first)
    t.equal((await start()).status, 200)
  })

  t.test('session_participants, in a new and in an existing session', async (t) => {
    const admin = await registerAdmin()
    const { token, organization_id } = admin
    await setLimits(db, organization_id, { session_participants: 2 })
    const people = await Promise.all([1, 2, 3].map(() => addMember(organization_id, 'employee')))
    const participants = people.map(({ user_id }) => ({ user_id }))
    const body = { name: 'Tuesday', scenario_name: 'hr_workforce', participants }
    const refused = await call('createSession', { token, body })
    t.match(refused, exceeded('session_participants', 0, 2))
    t.strictSame((await call('listSessions', { token })).body, [])

    const session = await create(admin, { ...body, participants: participants.slice(0, 2) })
    const params = { session_id: session._id }
    const set = (count: number) => {
      const body = { participants: participants.slice(0, count) }
      return call('setParticipants', { token, params, body })
    }
    t.match(await set(3), exceeded('session_participants', 2, 2))
    t.equal((await read(admin, session)).counts.participants, 2)
    t.equal((await set(1)).status, 200)
  })

  t.test('session_characters, which counts a setup and all who speak, in both modes', async (t) => {
    const admin = await registerAdmin()
    const { token, organization_id } = admin
    const replies = await addCharacter(db, organization_id)
    const { scenario_name } = await addScenario(admin, [
      { ...line, thread_replies: [replyOf(replies)] },
    ])
    const drafts = [
      await create(admin, { scenario_name, mode: 'scripted' }),
      await create(admin, { scenario_name, mode: 'external' }),
    ]
    const start = ({ _id }: { _id: string }) =>
      call('startSession', { token, params: { session_id: _id } })
    const tooMany = exceeded('session_characters', 2, 1)
    await setLimits(db, organization_id, { session_characters: 1 })
    for (const draft of drafts) t.match(await start(draft), tooMany)
    const body = { name: 'Tuesday', scenario_name }
    t.match(await call('createSession', { token, body }), tooMany)
    const { user_id } = admin
    for (const { _id } of drafts) {
      const params = { session_id: _id }
      const place = { ...params, user_id }
      const participants = { participants: [{ user_id }] }
      const seats = { seats: [{ guest: true }] }
      t.match(await call('addParticipant', { token, params: place }), tooMany)
      t.match(await call('setParticipants', { token, params, body: participants }), tooMany)
      t.match(await call('createSeatLinks', { token, params, body: seats }), tooMany)
    }
    await setLimits(db, organization_id, { session_characters: 2 })
    for (const draft of drafts) {
      t.match(await start(draft), { status: 200, body: { status: 'running' } })
    }
    const sessions = db.selectFrom('simulation_sessions').select('cast_ids')
    const rows = await sessions.where('organization_id', '=', organization_id).execute()
    t.strictSame(rows.map(({ cast_ids }) => cast_ids.length).sort(), [2, 2])

    const { _id } = await create(admin, { scenario_name: 'hr_workforce' })
    await call('applyQuickSetup', { token, body: { scenario_type: 'hr_workforce' } })
    const { body: briefing } = await call('getBriefing', { token, params: { session_id: _id } })
    t.equal(briefing.cast.length, 2, 'a briefing shows as many as are allowed')
    const answer = await call('startSession', { token, params: { session_id: _id } })
    t.match(answer, { status: 409, body: { quota: 'session_characters', allowed: 2 } })
    t.equal((await read(admin, { _id })).status, 'draft')
  })

  t.test('session_characters, at most 200 by default', async (t) => {
    const admin = await registerAdmin()
    const lines: { sender_character_id: string }[] = []
    while (lines.length < 201) {
      lines.push({ sender_character_id: await addCharacter(db, admin.organization_id) })
    }
    const { scenario_name } = await addScenario(admin, lines)
    const body = { name: 'Tuesday', scenario_name }
    const answer = await call('createSession', { token: admin.token, body })
    t.match(answer, exceeded('session_characters', 201, 200))
  })

  t.test('plan_lines, which is checked before a session starts', async (t) => {
    const admin = await registerAdmin()
    await setLimits(db, admin.organization_id, { plan_lines: 2 })
    const { scenario_name } = await addScenario(admin, [line, line, line])
    const session = await create(admin, { scenario_name })
    const params = { session_id: session._id }
    const answer = await call('startSession', { token: admin.token, params })
    t.match(answer, {
      status: 409,
      body: { code: 'quota_exceeded', quota: 'plan_lines', allowed: 2 },
    })
    t.equal((await read(admin, session)).status, 'draft')
  })
})
