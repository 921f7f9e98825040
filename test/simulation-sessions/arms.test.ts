import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { replyOf } from '../helpers/templates.js'

type Session = Schema<'SimulationSession'>

const service = await startService(t)
const { call, registerAdmin, addMember } = service
const { addScenario, create, change, read, texts } = sessionsOf(service)
const admin = await registerAdmin()
const { token } = admin

const lines = (character_id: string) => [
  { content: 'For both', metadata: { drill_minute: 0 } },
  {
    content: 'What is known',
    metadata: { drill_minute: 0, arm: 'intervention' },
    thread_replies: [replyOf(character_id, { content: 'Thanks.', offset_minutes: 0 })],
  },
  { content: 'What was done', metadata: { drill_minute: 0, arm: 'control' } },
  {
    content: 'Last',
    metadata: { drill_minute: 0 },
    thread_replies: [
      replyOf(character_id, {
        offset_minutes: 0,
        content: 'I ask.',
        metadata: { arm: 'intervention' },
      }),
      replyOf(character_id, { offset_minutes: 0, content: 'I nod.', metadata: { arm: 'control' } }),
    ],
  },
]
const expectedTexts = {
  control: ['For both', 'What was done', 'Last', 'I nod.'],
  intervention: ['For both', 'What is known', 'Thanks.', 'Last', 'I ask.'],
}
const { scenario_name } = await addScenario(admin, lines)

async function createExperiment(arms: object, status = 'running'): Promise<Schema<'Experiment'>> {
  const { body } = await call('createExperiment', { token, body: { name: 'Check-ins', ...arms } })
  const params = { experiment_id: body._id }
  await call('updateExperiment', { token, params, body: { status } })
  return body
}

t.test('A session in an arm', async (t) => {
  for (const arm of ['control', 'intervention'] as const) {
    t.test(`posts the lines of ${arm} and of both arms, and hides its arm`, async (t) => {
      const session = await create(admin, { scenario_name })
      const { _id: experiment_id } = await createExperiment({
        [`${arm}_session_ids`]: [session._id],
      })
      const started = await change('startSession', admin, session)
      t.strictSame(await texts(session), expectedTexts[arm])
      t.strictSame(started.warnings, [])
      const params = { session_id: session._id }
      for (const operationId of ['getSession', 'listSessionMessages', 'getBriefing'] as const) {
        const { body } = await call(operationId, { token, params })
        t.notMatch(JSON.stringify(body), /"arm"/, operationId)
      }
      const [event] = await auditEvents(call, admin, {
        case_id: session._id,
        event_type: 'session_started',
      })
      t.match(event?.metadata, { arm, experiment_id, planned: expectedTexts[arm].length })
    })
  }

  t.test('keeps the arm in which it started', async (t) => {
    const session = await create(admin, { scenario_name })
    const { _id: experiment_id } = await createExperiment({ control_session_ids: [session._id] })
    await change('startSession', admin, session)
    const moved = { control_session_ids: [], intervention_session_ids: [session._id] }
    await call('updateExperiment', { token, params: { experiment_id }, body: moved })
    t.strictSame(await texts(session), expectedTexts.control)
  })
})

t.test('The experiment of a session', async (t) => {
  const experimentOf = async (member: Member, session: Pick<Session, '_id'>) =>
    (await read(member, session)).experiment_id

  t.test('is shown before and after the start, without the arm', async (t) => {
    for (const arm of ['control', 'intervention'] as const) {
      const session = await create(admin, { scenario_name })
      t.equal(session.experiment_id, null)
      const { _id } = await createExperiment({ [`${arm}_session_ids`]: [session._id] }, 'scheduled')
      const before = await read(admin, session)
      t.equal(before.experiment_id, _id)
      const started = await change('startSession', admin, session)
      t.equal(started.experiment_id, _id)
      t.notMatch(JSON.stringify([before, started]), /"arm"|control|intervention/)
    }
  })

  t.test('is the one with which the session started, or would start', async (t) => {
    const session = await create(admin, { scenario_name })
    await createExperiment({ control_session_ids: [session._id] }, 'cancelled')
    t.equal(await experimentOf(admin, session), null)
    const { _id } = await createExperiment({ control_session_ids: [session._id] })
    await createExperiment({ control_session_ids: [session._id] }, 'scheduled')
    t.equal(await experimentOf(admin, session), _id, 'the running one')
    await change('startSession', admin, session)
    const params = { experiment_id: _id }
    await call('updateExperiment', { token, params, body: { control_session_ids: [] } })
    t.equal(await experimentOf(admin, session), _id, 'later changes of its arms have no effect')
    const free = await create(admin, { scenario_name })
    await change('startSession', admin, free)
    await createExperiment({ control_session_ids: [free._id] })
    t.equal(await experimentOf(admin, free), null, 'it started without an experiment')
  })

  t.test('is shown only to trainers', async (t) => {
    const { organization_id } = admin
    const hr = await addMember(organization_id, 'hr')
    const rater = await addMember(organization_id, 'executive')
    const player = await addMember(organization_id, 'employee')
    const people = { participants: [{ user_id: player.user_id }], rater_ids: [rater.user_id] }
    const session = await create(admin, { scenario_name, ...people })
    const { _id } = await createExperiment({ intervention_session_ids: [session._id] })
    for (const step of [null, 'startSession', 'endSession'] as const) {
      if (step) await change(step, admin, session)
      t.equal(await experimentOf(hr, session), _id)
      for (const one of [rater, player]) {
        t.equal(await experimentOf(one, session), null)
        const { body } = await call('listSessions', { token: one.token })
        t.notMatch(JSON.stringify([body, await read(one, session)]), _id)
      }
    }
  })

  t.test('is never an experiment of another organization', async (t) => {
    const session = await create(admin, { scenario_name })
    const stranger = await registerAdmin()
    const body = { name: 'Theirs', control_session_ids: [session._id] }
    await call('createExperiment', { token: stranger.token, body })
    t.equal(await experimentOf(admin, session), null)
  })
})

t.test('A session in no arm, or in an arm of an experiment that has ended', async (t) => {
  t.test('plays as control', async (t) => {
    const free = await create(admin, { scenario_name })
    t.strictSame((await change('startSession', admin, free)).warnings, [])
    t.strictSame(await texts(free), expectedTexts.control)
    const late = await create(admin, { scenario_name })
    await createExperiment({ intervention_session_ids: [late._id] }, 'cancelled')
    await change('startSession', admin, late)
    t.strictSame(await texts(late), expectedTexts.control)
  })
})

t.test('A start gives a warning', async (t) => {
  t.test('when the experiment is not running, or when there are two', async (t) => {
    const session = await create(admin, { scenario_name })
    const draft = await createExperiment({ control_session_ids: [session._id] }, 'scheduled')
    const { warnings } = await change('startSession', admin, session)
    t.match(warnings, [{ field: 'experiment_id', value: draft._id }])
    const shared = await create(admin, { scenario_name })
    const planned = await createExperiment({ control_session_ids: [shared._id] }, 'scheduled')
    await createExperiment({ intervention_session_ids: [shared._id] })
    t.match((await change('startSession', admin, shared)).warnings, [
      { field: 'experiment_id', value: planned._id },
    ])
    t.strictSame(await texts(shared), expectedTexts.intervention, 'the running one counts')
  })
})

t.test('Variables in prepared messages', async (t) => {
  t.test('are replaced by the name of the participant, or by a name for everyone', async (t) => {
    const play = await addScenario(admin, [
      { content: 'Good morning, {{user.first_name}}.', metadata: { drill_minute: 0 } },
    ])
    const alone = await create(admin, {
      scenario_name: play.scenario_name,
      participants: [{ user_id: admin.user_id }],
    })
    await change('startSession', admin, alone)
    t.strictSame(await texts(alone), ['Good morning, Ada.'])
    const empty = await create(admin, { scenario_name: play.scenario_name })
    await change('startSession', admin, empty)
    t.strictSame(await texts(empty), ['Good morning, everyone.'])
  })
})
