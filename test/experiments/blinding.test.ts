import type { OperationId, Schema } from '../../src/contract.js'
import { entityTagOf } from '../../src/formats/entity-tags.js'
import { bareScenario } from '../helpers/ended-sessions.js'
import { decision, openLab } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { operations } from '../helpers/walk.js'

const service = await startService(t)
const { call, db, registerAdmin, addMember } = service
const admin = await registerAdmin()
const { organization_id } = admin
const lab = openLab(service, admin)

const player = await addMember(organization_id, 'executive')
const invited = await addMember(organization_id, 'executive')
const watcher = await addMember(organization_id, 'executive')
const hr = await addMember(organization_id, 'hr')

const secret = {
  hypothesis: 'Weekly check-ins shorten the repair.',
  assignment_ids: ['secret-assignment'],
  metadata: { intervention: 'secret-intervention', outcome_measure: 'Minutes' },
}
const blinded = {
  hypothesis: null,
  control_session_ids: [],
  intervention_session_ids: [],
  assignment: null,
  assignment_ids: [],
  metadata: {},
}

const criterion = 'Clear'
const rubric = [{ criterion, question: 'Is it?', scale: { type: 'ordinal' as const } }]

/** A running experiment. `player` joined a session and `invited` has a place in another one. */
async function experiment(): Promise<string> {
  const experiment_id = await lab.draft(secret)
  await lab.register(experiment_id)
  await lab.run(experiment_id, {
    control: [{ joined: [player.user_id] }, { joined: [admin.user_id] }],
    intervention: [{ invited: [invited.user_id], scenario: { ...bareScenario, rubric } }],
  })
  return experiment_id
}

const read = (operation: OperationId, { token }: Member, experiment_id: string) =>
  call(operation, { token, params: { experiment_id } })

async function listed({ token }: Member, experiment_id: string, query = {}) {
  const { body } = await call('listExperiments', { token, query })
  return body.find(({ _id }: Schema<'ListedExperiment'>) => _id === experiment_id)
}

t.test('Executives who take part in an experiment', async (t) => {
  const experiment_id = await experiment()
  for (const [reader, title] of [
    [player, 'who joined'],
    [invited, 'who have a place'],
  ] as const) {
    t.test(`${title} see the fields that show no arm`, async (t) => {
      const { body: whole } = await read('getExperiment', admin, experiment_id)
      const { body, headers } = await read('getExperiment', reader, experiment_id)
      t.strictSame(body, { ...whole, ...blinded, warnings: [] })
      const { warnings, ...rest } = body
      t.strictSame(await listed(reader, experiment_id), rest)
      t.strictSame(await listed(reader, experiment_id, { status: 'running', name: 'Lab' }), rest)
      t.equal(headers.get('etag'), entityTagOf(rest), 'the tag belongs to what they see')
    })

    t.test(`${title} learn nothing about the arms from other operations`, async (t) => {
      const { body: readiness } = await read('getExperimentReadiness', reader, experiment_id)
      const checks = readiness.checks.map(({ check }: Schema<'ReadinessCheck'>) => check)
      t.strictSame(checks, ['hypothesis', 'outcome_measure', 'period_set'])
      t.equal(readiness.ready, false)
      t.equal(readiness.best_test, null)
      const { body: results } = await read('getExperimentResults', reader, experiment_id)
      t.strictSame(results, {
        experiment_id,
        plan: null,
        sessions: null,
        known_outcomes: null,
        frozen_at: null,
        frozen_by: null,
        conclusion: null,
        outcomes: null,
        agreement: null,
        deviations: [],
        warnings: [],
      })
    })
  }

  t.test('see no arm in any operation on experiments that they may call', async (t) => {
    const tags = ['experiments', 'experiment-results']
    const readable = operations.filter(
      ({ tag, roles }) => tags.includes(tag) && roles?.includes('executive'),
    )
    t.ok(readable.length >= 4)
    for (const { operationId } of readable) {
      const { body } = await read(operationId, player, experiment_id)
      t.notMatch(JSON.stringify(body), /secret|check-ins|"control":/, operationId)
    }
  })

  t.test('count as participants even after the session was removed from its arm', async (t) => {
    const { intervention_session_ids } = (await read('getExperiment', admin, experiment_id)).body
    await lab.update(experiment_id, { intervention_session_ids: [] })
    t.match((await read('getExperiment', invited, experiment_id)).body, blinded)
    t.match(await listed(invited, experiment_id), blinded)
    await lab.update(experiment_id, { intervention_session_ids })
  })

  t.test('see all of an experiment in which they have no place', async (t) => {
    const { body: whole } = await read('getExperiment', admin, experiment_id)
    const { warnings, ...rest } = whole
    for (const reader of [watcher, hr]) {
      t.strictSame((await read('getExperiment', reader, experiment_id)).body, whole)
      t.strictSame(await listed(reader, experiment_id), rest)
    }
    const other = await lab.draft(secret)
    t.match((await read('getExperiment', player, other)).body, secret)
    t.match(await listed(player, other), secret)
  })

  t.test('see all of it after the conclusion', async (t) => {
    await lab.conclude(experiment_id)
    const { body: whole } = await read('getExperiment', admin, experiment_id)
    t.strictSame((await read('getExperiment', player, experiment_id)).body, whole)
    const { warnings, ...rest } = whole
    t.strictSame(await listed(player, experiment_id), rest)
    const { body } = await read('getExperimentResults', player, experiment_id)
    t.match(body, { conclusion: decision, sessions: { control: { assigned: 2 } } })
  })
})

t.test('Executives in a session that has not ended', async (t) => {
  const { token } = admin
  const running = await experiment()
  const draft = await lab.draft(secret)
  const place = async (participants: object[]) => {
    const body = { name: 'Monday', scenario_name: 'hr_workforce', participants }
    const { body: session } = await call('createSession', { token, body })
    return { session_id: session._id }
  }
  const seesArms = async (reader: Member, experiment_id: string) => {
    const { body } = await read('getExperiment', reader, experiment_id)
    t.match(body, body.hypothesis === null ? blinded : secret)
    t.match(await listed(reader, experiment_id), { hypothesis: body.hypothesis })
    return body.hypothesis !== null
  }

  t.test('see no arms, although their session is in none', async (t) => {
    const early = await addMember(organization_id, 'executive')
    t.equal(await seesArms(early, draft), true)
    const params = await place([{ user_id: early.user_id }])
    for (const _id of [draft, running]) t.equal(await seesArms(early, _id), false)
    const { body: results } = await read('getExperimentResults', early, running)
    t.equal(results.sessions, null)
    await call('deleteSession', { token, params })
    for (const _id of [draft, running]) t.equal(await seesArms(early, _id), true)
  })

  t.test('see the arms when it has ended, or they were taken out of it', async (t) => {
    const [ended, removed] = [
      await addMember(organization_id, 'executive'),
      await addMember(organization_id, 'executive'),
    ]
    const params = await place([{ user_id: ended.user_id }, { user_id: removed.user_id }])
    const all = () => Promise.all([ended, removed].map((reader) => seesArms(reader, draft)))
    t.strictSame(await all(), [false, false])
    const out = { ...params, user_id: removed.user_id }
    await call('removeParticipant', { token, params: out })
    t.strictSame(await all(), [false, true])
    await db
      .updateTable('simulation_sessions')
      .set({ status: 'completed', ended_at: new Date().toISOString() })
      .where('organization_id', '=', organization_id)
      .where('_id', '=', params.session_id)
      .execute()
    t.strictSame(await all(), [true, true])
  })
})

t.test('A rater who takes part in the experiment does not see the arm', async (t) => {
  const experiment_id = await experiment()
  const { body: whole } = await read('getExperiment', admin, experiment_id)
  const [session_id] = whole.intervention_session_ids
  await db
    .updateTable('simulation_sessions')
    .set({ rater_ids: [player.user_id, watcher.user_id] })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', session_id)
    .execute()
  const params = { session_id }
  const body = { ratings: [{ criterion, value: 4 }] }
  for (const [{ token }, arm] of [
    [player, null],
    [watcher, 'intervention'],
  ] as const) {
    const answer = await call('rateSession', { token, params, body })
    t.match(answer, { status: 200, body: { complete: true, arm } })
    t.match(await call('listSessionRatings', { token, params }), { body: { arm } })
  }
})
