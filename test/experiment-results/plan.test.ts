import { loadContract } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { insertPlayed } from '../helpers/ended-sessions.js'
import { openLab, plan } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'

const service = await startService(t)
const { call, db, registerAdmin } = service
const admin = await registerAdmin()
const { organization_id, token } = admin
const { draft, update, register, results } = openLab(service, admin)

const registered = () => auditEvents(call, admin, { event_type: 'analysis_plan_registered' })
const locsOf = (body: { detail: { loc: string[] }[] }) => body.detail.map(({ loc }) => loc)

async function session(scenario_name: string): Promise<string> {
  const { body } = await call('createSession', { token, body: { name: 'Tuesday', scenario_name } })
  return body._id
}

t.test('registerAnalysisPlan', async (t) => {
  t.test('names in the contract all outcomes that a refusal lists', async (t) => {
    const metadata = { scenario_type: 'unknown' }
    const wrong = { ...plan, primary_outcome: 'happiness' }
    const { body } = await register(await draft({ metadata }), wrong)
    const [, listed = ''] = body.detail[0].msg.split('known outcomes are ')
    const contract = JSON.stringify(loadContract().document)
    for (const outcome of listed.split(', ')) t.match(contract, `\`${outcome}\``)
  })

  t.test(
    'accepts every outcome that getExperimentResults lists, with the labels of the scenario',
    async (t) => {
      const _id = await draft({ metadata: { scenario_type: 'crisis_response' } })
      const { known_outcomes } = (await results(_id)).body
      t.match(
        known_outcomes.find(
          ({ outcome }: { outcome: string }) => outcome === 'first_answer_minutes:kitchen_answer',
        ),
        { label: 'minutes until a participant first answers the school kitchen' },
      )
      for (const { outcome } of known_outcomes) {
        const body = { primary_outcome: outcome, direction: 'any' }
        t.equal((await register(_id, body)).status, 200, outcome)
      }
      t.equal((await register(_id, { ...plan, primary_outcome: 'happiness' })).status, 422)
      const { body } = await results(await draft())
      const common = body.known_outcomes.map(({ outcome }: { outcome: string }) => outcome)
      t.ok(common.includes('decisions_made'), 'without a scenario, those of every scenario')
      t.notOk(common.some((outcome: string) => outcome.includes(':')))
    },
  )

  t.test('stores a plan with the user who registered it', async (t) => {
    const _id = await draft()
    const { status, body } = await register(_id, plan)
    t.equal(status, 200)
    t.strictSame(body, {
      ...plan,
      alpha: 0.05,
      smallest_effect: null,
      registered_at: body.registered_at,
      registered_by: admin.user_id,
    })
    t.strictSame((await results(_id)).body.plan, body)
    const [event] = await registered()
    t.equal(event?.metadata?.experiment_id, _id)
    t.strictSame(event?.metadata?.changes, { analysis_plan: { from: null, to: body } })
  })

  t.test('replaces it, and changes nothing when it is the same', async (t) => {
    const _id = await draft()
    const { body } = await register(_id, plan)
    const before = (await registered()).length
    t.strictSame((await register(_id, { ...plan, alpha: 0.05 })).body, body)
    t.equal((await registered()).length, before)
    const other = { primary_outcome: 'expectations_met', direction: 'any', smallest_effect: 0.1 }
    const { body: after } = await register(_id, other)
    t.match(after, { ...other, guardrails: [] })
    t.equal((await registered()).length, before + 1)
    t.strictSame((await results(_id)).body.plan, after)
  })

  t.test('refuses an outcome that is named twice, each with its place', async (t) => {
    const guardrails = ['answered_share', plan.primary_outcome, 'answered_share'].map((outcome) => {
      return { outcome, direction: 'decrease' }
    })
    const { status, body } = await register(createId(), { ...plan, guardrails })
    t.equal(status, 422)
    t.strictSame(locsOf(body), [
      ['body', 'guardrails', '1', 'outcome'],
      ['body', 'guardrails', '2', 'outcome'],
    ])
  })

  t.test('accepts only outcomes of the scenarios of the sessions', async (t) => {
    const control_session_ids = [await session('crisis_response'), 'an id of our own']
    const intervention_session_ids = [await session('hr_workforce')]
    const _id = await draft({ control_session_ids, intervention_session_ids })
    for (const primary_outcome of [
      'first_answer_minutes:kitchen_answer',
      'participation_balance:press-and-authority',
      'rubric:Answer the kitchen',
      'answered_share:joiners',
    ]) {
      t.equal((await register(_id, { ...plan, primary_outcome })).status, 200, primary_outcome)
    }
    const guardrails = [{ outcome: 'first_answer_minutes:weaver_waits', direction: 'increase' }]
    const refused = await register(_id, { ...plan, primary_outcome: 'rubric:Nothing', guardrails })
    t.equal(refused.status, 422)
    t.strictSame(locsOf(refused.body), [
      ['body', 'primary_outcome'],
      ['body', 'guardrails', '0', 'outcome'],
    ])
    t.match(refused.body.detail[0].msg, /expectations_met, .*rubric:Answer the kitchen/)
  })

  t.test('uses the outcomes of the scenario in metadata while there is no session', async (t) => {
    const _id = await draft({ metadata: { scenario_type: 'crisis_response' } })
    const known = { ...plan, primary_outcome: 'threads_joined:recall_choice' }
    t.equal((await register(_id, known)).status, 200)
    const unknown = { ...plan, primary_outcome: 'answered_share:joiners' }
    t.equal((await register(_id, unknown)).status, 422)
  })

  t.test('accepts any possible outcome while no scenario is known', async (t) => {
    const _id = await draft({ control_session_ids: ['s1', createId()] })
    for (const primary_outcome of ['rubric:Whatever', 'message_count', 'answered_share:hall']) {
      t.equal((await register(_id, { ...plan, primary_outcome })).status, 200, primary_outcome)
    }
    for (const primary_outcome of ['rubric:', 'morale', 'morale:hall', 'answered_share:']) {
      t.equal((await register(_id, { ...plan, primary_outcome })).status, 422, primary_outcome)
    }
  })

  t.test('is locked after the experiment has left draft, whatever its status is now', async (t) => {
    const _id = await draft()
    const { body } = await register(_id, plan)
    for (const status of ['scheduled', 'a label of ours', 'running']) {
      await update(_id, { status })
      const locked = { code: 'plan_locked', current_status: status }
      t.match(await register(_id, plan), { status: 409, body: locked })
    }
    t.strictSame((await results(_id)).body.plan, body)
  })

  t.test('is locked after one of its sessions has started', async (t) => {
    for (const arm of ['control_session_ids', 'intervention_session_ids']) {
      const started = await insertPlayed(db, organization_id, { status: 'running' })
      const _id = await draft({ [arm]: [await session('hr_workforce'), started] })
      const locked = { code: 'plan_locked', current_status: 'draft' }
      t.match(await register(_id, plan), { status: 409, body: locked })
    }
  })

  t.test('is not locked by a session of another organization', async (t) => {
    const { organization_id: theirs } = await registerAdmin()
    const started = await insertPlayed(db, theirs, { status: 'running' })
    t.equal((await register(await draft({ control_session_ids: [started] }))).status, 200)
  })

  t.test('prevents the rollback of a setup, like every edit by people', async (t) => {
    const body = { scenario_type: 'generic' }
    const { body: setup } = await call('applyQuickSetup', { token, body })
    await register(setup.experiment_id, plan)
    const params = { setup_id: setup._id }
    const answer = await call('rollbackQuickSetup', { token, params })
    t.match(answer, {
      status: 409,
      body: { code: 'setup_in_use', reasons: [{ reason: 'edited' }] },
    })
  })

  t.test('is refused when If-Match names an older version of the experiment', async (t) => {
    const _id = await draft()
    const params = { experiment_id: _id }
    const read = await call('getExperiment', { token, params })
    await update(_id, { name: 'Renamed' })
    const headers = { 'if-match': read.headers.get('etag') ?? '' }
    const answer = await call('registerAnalysisPlan', { token, params, headers, body: plan })
    t.equal(answer.status, 412)
  })

  t.test('answers 404 for an unknown experiment', async (t) => {
    const answer = await register(createId(), plan)
    t.match(answer, { status: 404, body: { code: 'experiment_not_found' } })
  })
})
