import { createId } from '../src/formats/identifiers.js'
import { bareScenario, type Play } from './helpers/ended-sessions.js'
import { byName, decision, openLab, plan } from './helpers/experiments.js'
import { t } from './helpers/file.js'
import { auditEvents, startService } from './helpers/service.js'

const service = await startService(t)
const { call, registerAdmin, addMember } = service
const admin = await registerAdmin()
const { organization_id, token, user_id } = admin
const { draft, update, register, results, conclude, played, run } = openLab(service, admin)

/** A session in which one person wrote so many messages. */
const wrote = (count: number, rest: Play = {}): Play => ({
  joined: [user_id],
  lines: Array.from({ length: count }, (_, minute) => ({ by: 'participant', minute })),
  ...rest,
})

const none = { assigned: 0, unknown: 0, not_started: 0, running: 0, completed: 0, cancelled: 0 }

async function eventsOf(experiment_id: string) {
  const events = await auditEvents(call, admin, { category: 'experiment' })
  return events.filter(({ metadata }) => metadata?.experiment_id === experiment_id)
}

t.test('getExperimentResults', async (t) => {
  t.test('counts how far the sessions of each arm have got', async (t) => {
    const _id = await draft()
    const { control_session_ids } = await run(_id, {
      control: ['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled'].map(
        (status) => ({ status }) as Play,
      ),
      intervention: [],
    })
    await update(_id, { intervention_session_ids: ['s1', createId(), user_id.toUpperCase()] })
    const { status, body } = await results(_id)
    t.equal(status, 200)
    t.strictSame(body.sessions, {
      control: { assigned: 6, unknown: 0, not_started: 2, running: 2, completed: 1, cancelled: 1 },
      intervention: { ...none, assigned: 3, unknown: 3 },
    })
    t.strictSame(
      body.warnings.map(({ field, value }: { field: string; value: string }) => [field, value]),
      [
        ['analysis_plan', null],
        ['control_session_ids', control_session_ids[5]],
        ['intervention_session_ids', '3'],
      ],
    )
  })

  t.test('tells nothing of any outcome before the conclusion', async (t) => {
    const _id = await draft()
    await register(_id)
    const rubric = [{ criterion: 'Clear', question: 'Is it?', scale: { type: 'ordinal' } }]
    const scenario = { ...bareScenario, rubric }
    const ratings = [{ rater_id: user_id, criterion: 'Clear', value: 4 }]
    const play = wrote(7, { scenario, ratings })
    await run(_id, { control: [play, play], intervention: [play, play] })
    const { body } = await results(_id)
    t.match(body, { outcomes: null, agreement: null, conclusion: null })
    t.match(body.sessions.control, { assigned: 2, completed: 2 })
    const params = { experiment_id: _id }
    for (const operation of ['getExperiment', 'getExperimentReadiness'] as const) {
      const answer = JSON.stringify((await call(operation, { token, params })).body)
      t.notMatch(answer, /answered_share|rubric:|"mean"|"conclusion"/, operation)
    }
    const { status } = await call('exportExperimentData', { token, params })
    t.equal(status, 409)
  })

  t.test('lists where sessions did not run as planned, in the order of time', async (t) => {
    const _id = await draft()
    const at = (time: string) => ({
      deviations: [{ deviation: 'clock_shifted', at: `2026-11-23T${time}.000Z`, shift_ms: 90_000 }],
    })
    const { control_session_ids, intervention_session_ids } = await run(_id, {
      control: [at('10:00:00'), {}],
      intervention: [at('09:30:00')],
    })
    const { body } = await results(_id)
    t.strictSame(
      body.deviations.map(({ session_id }: { session_id: string }) => session_id),
      [intervention_session_ids[0], control_session_ids[0]],
    )
  })

  t.test('is for those who lead, and of their organization', async (t) => {
    const params = { experiment_id: await draft() }
    for (const role of ['hr', 'executive'] as const) {
      const member = await addMember(organization_id, role)
      t.equal((await call('getExperimentResults', { ...member, params })).status, 200, role)
      const body = decision
      t.equal((await call('concludeExperiment', { ...member, params, body })).status, 403, role)
      t.equal((await call('exportExperimentData', { ...member, params })).status, 403, role)
    }
    const employee = await addMember(organization_id, 'employee')
    t.equal((await call('getExperimentResults', { ...employee, params })).status, 403)
    const stranger = await registerAdmin()
    for (const operation of ['getExperimentResults', 'exportExperimentData'] as const) {
      t.equal((await call(operation, { ...stranger, params })).status, 404, operation)
    }
    const answer = await call('concludeExperiment', { ...stranger, params, body: decision })
    t.equal(answer.status, 404)
  })
})

t.test('concludeExperiment', async (t) => {
  t.test('compares the arms by the plan and freezes what came of it', async (t) => {
    const _id = await draft()
    const { body: planned } = await register(_id, { ...plan, alpha: 0.1 })
    await run(_id, {
      control: [1, 2, 3, 4].map((count) => wrote(count)),
      intervention: [5, 6, 7, 8].map((count) => wrote(count)),
    })
    const { status, body } = await conclude(_id, { decision: 'adopt', rationale: 'More talk.' })
    t.equal(status, 200)
    t.match(body, {
      experiment_id: _id,
      plan: planned,
      conclusion: { decision: 'adopt', rationale: 'More talk.', concluded_by: user_id },
      sessions: { control: { completed: 4 }, intervention: { completed: 4 } },
      warnings: [],
    })
    const [primary, guardrail, ...others] = body.outcomes
    t.match(primary, {
      outcome: plan.primary_outcome,
      role: 'primary',
      direction: 'increase',
      control: { n: 4, mean: 2.5, sd: Math.sqrt(5 / 3) },
      intervention: { n: 4, mean: 6.5, sd: Math.sqrt(5 / 3) },
      difference: 4,
      // No other of the 70 ways to fill the arms puts them as far apart, but for its mirror image.
      p: 2 / 70,
      method: 'permutation_exact',
      allocations: 70,
      smallest_p: 2 / 70,
    })
    t.ok(primary.interval.low > 0 && primary.interval.low < 4 && primary.interval.high > 4)
    t.match(guardrail, { outcome: 'answered_share', role: 'guardrail', direction: 'decrease' })
    t.match(guardrail, { method: 'not_testable', p: null, control: { n: 0, mean: null } })
    t.strictSame(others, [], 'no other that a session has')

    await update(_id, { control_session_ids: [], metadata: { late: true } })
    t.strictSame((await results(_id)).body, body, 'whatever becomes of the experiment')
  })

  t.test('completes the experiment, and leaves an event for each of both', async (t) => {
    const _id = await draft()
    await register(_id)
    await run(_id, { control: [wrote(1)], intervention: [wrote(2)] })
    await conclude(_id)
    const params = { experiment_id: _id }
    t.equal((await call('getExperiment', { token, params })).body.status, 'completed')
    const events = (await eventsOf(_id)).toReversed()
    const about = new Map(events.map((one) => [one.event_type, one.metadata]))
    const { primary_outcome } = plan
    t.strictSame(about.get('experiment_concluded'), {
      experiment_id: _id,
      decision: 'inconclusive',
      primary_outcome,
      p: null,
    })
    const changes = { status: { from: 'running', to: 'completed' } }
    t.strictSame(about.get('experiment_status_changed'), { experiment_id: _id, changes })
  })

  t.test('leaves the status of what has ended', async (t) => {
    for (const ending of ['completed', 'cancelled', 'archived']) {
      const _id = await draft()
      await run(_id, { control: [], intervention: [] })
      await update(_id, { status: ending })
      t.equal((await conclude(_id)).status, 200, ending)
      t.equal((await update(_id, {})).body.status, ending)
    }
  })

  t.test('happens once, also when two come at once', async (t) => {
    const _id = await draft()
    await run(_id, { control: [wrote(1)], intervention: [wrote(2)] })
    const statuses = (await Promise.all([conclude(_id), conclude(_id)])).map((one) => one.status)
    t.strictSame(statuses.toSorted(), [200, 409])
    t.match(await conclude(_id), { status: 409, body: { code: 'already_concluded' } })
    const concluded = (await eventsOf(_id)).filter((one) => /concluded/.test(one.event_type))
    t.equal(concluded.length, 1)
  })

  t.test('is refused to what has not run', async (t) => {
    for (const status of ['draft', 'scheduled', 'cancelled']) {
      const _id = await draft()
      await update(_id, { status })
      const body = { code: 'experiment_not_run', current_status: status }
      t.match(await conclude(_id), { status: 409, body })
    }
  })

  t.test('is refused while sessions have not ended, and names those', async (t) => {
    const _id = await draft()
    const { control_session_ids, intervention_session_ids } = await run(_id, {
      control: [{ status: 'draft' }, {}, { status: 'running' }, { status: 'cancelled' }],
      intervention: [{ status: 'paused' }, { status: 'scheduled' }],
    })
    const [first, , third] = control_session_ids
    const session_ids = [first, third, ...intervention_session_ids].toSorted()
    const answer = await conclude(_id)
    t.match(answer, { status: 409, body: { code: 'sessions_unfinished' } })
    t.strictSame(answer.body.unfinished, session_ids)
    t.equal((await results(_id)).body.conclusion, null)
  })

  t.test('is made for the very experiment that was read', async (t) => {
    const _id = await draft()
    const params = { experiment_id: _id }
    const { headers } = await call('getExperiment', { token, params })
    await run(_id, { control: [{ status: 'running' }], intervention: [] })
    const old = { 'if-match': headers.get('etag') ?? '' }
    const answer = await call('concludeExperiment', { token, params, headers: old, body: decision })
    t.equal(answer.status, 412)
  })

  t.test('analyses a session as it ran, and says what it leaves out', async (t) => {
    const _id = await draft()
    const [inControl = '', elsewhere = '', inNone = '', cancelled = ''] = [
      ...(await played(_id, 'control', [wrote(5)])),
      ...(await played(createId(), 'control', [wrote(50)])),
      ...(await played(_id, 'control', [wrote(60)])),
      ...(await played(_id, 'control', [wrote(70, { status: 'cancelled' })])),
    ]
    await run(_id, { control: [wrote(3)], intervention: [wrote(8)] })
    const { body: before } = await update(_id, {})
    await update(_id, {
      control_session_ids: [...before.control_session_ids, elsewhere, cancelled, 's1'],
      intervention_session_ids: [...before.intervention_session_ids, inControl],
    })
    const { body } = await conclude(_id)
    t.match(byName(body).messages_per_participant, {
      control: { n: 2, mean: 4 },
      intervention: { n: 1, mean: 8 },
    })
    const said = body.warnings.map((one: { field: string; value: string; message: string }) => {
      return `${one.field} ${one.value}: ${one.message}`
    })
    t.match(said, [
      /^analysis_plan null: No plan/,
      /^control_session_ids 1: This many ids/,
      new RegExp(`^control_session_ids ${elsewhere}: .*left out`),
      new RegExp(`^control_session_ids ${cancelled}: .*cancelled`),
      new RegExp(`^intervention_session_ids ${inControl}: .*other arm.*as it ran`),
      new RegExp(`^session_ids ${inNone}: .*removed`),
    ])
  })
})
