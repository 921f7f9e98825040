import { sql } from 'kysely'
import type { FrozenConclusion } from '../../src/database/tables/simulation.js'
import { createId } from '../../src/formats/identifiers.js'
import type { Play } from '../helpers/ended-sessions.js'
import { byName, decision, openLab, plan } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'

const service = await startService(t)
const { call, registerAdmin } = service
const admin = await registerAdmin()
const { token, user_id } = admin
const { draft, update, register, results, conclude, data, played, run } = openLab(service, admin)

/** A session in which one person wrote `count` messages. */
const wrote = (count: number, rest: Play = {}): Play => ({
  joined: [user_id],
  lines: Array.from({ length: count }, (_, minute) => ({ by: 'participant', minute })),
  ...rest,
})

async function eventsOf(experiment_id: string) {
  const events = await auditEvents(call, admin, { category: 'experiment' })
  return events.filter(({ metadata }) => metadata?.experiment_id === experiment_id)
}

t.test('concludeExperiment', async (t) => {
  t.test('compares the arms by the plan and freezes the results', async (t) => {
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
      // Of the 70 ways to fill the arms only this one and its mirror image are so far apart.
      p: 2 / 70,
      method: 'permutation_exact',
      allocations: 70,
      smallest_p: 2 / 70,
    })
    t.ok(primary.interval.low > 0 && primary.interval.low < 4 && primary.interval.high > 4)
    t.match(guardrail, { outcome: 'answered_share', role: 'guardrail', direction: 'decrease' })
    t.match(guardrail, { method: 'not_testable', p: null, control: { n: 0, mean: null } })
    t.strictSame(others, [], 'no session has another outcome')

    await update(_id, { control_session_ids: [], metadata: { late: true } })
    t.strictSame((await results(_id)).body, body, 'later changes of the experiment have no effect')
  })

  t.test('completes the experiment, and records an event for each change', async (t) => {
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

  t.test('freezes the results first, and records the decision in a second call', async (t) => {
    const _id = await draft()
    await register(_id)
    await run(_id, { control: [wrote(1), wrote(2)], intervention: [wrote(3), wrote(4)] })
    const { status, body: frozen } = await conclude(_id, {})
    t.equal(status, 200)
    t.match(frozen, { frozen_by: user_id, conclusion: null })
    t.equal(byName(frozen).messages_per_participant?.difference, 2)
    t.strictSame((await results(_id)).body, frozen)
    const params = { experiment_id: _id }
    t.equal((await call('getExperiment', { token, params })).body.status, 'completed')
    t.equal((await data(_id)).status, 200, 'the data can be exported')

    const refused = { status: 409, body: { code: 'results_frozen' } }
    t.match(await conclude(_id, {}), refused, 'freezing again needs a decision')

    const late = await conclude(_id, { decision: 'adopt', rationale: 'They wrote more.' })
    const conclusion = { decision: 'adopt', rationale: 'They wrote more.', concluded_by: user_id }
    t.match(late, { status: 200, body: { conclusion } })
    t.strictSame({ ...late.body, conclusion: null }, frozen, 'the decision changes no result')
    t.strictSame((await results(_id)).body, late.body)
    for (const body of [{}, decision])
      t.match(await conclude(_id, body), { status: 409, body: { code: 'already_concluded' } })

    const events = (await eventsOf(_id)).toReversed()
    const recorded = events.map((one) => one.event_type).slice(-4)
    t.strictSame(recorded, [
      'experiment_results_frozen',
      'experiment_status_changed',
      'experiment_data_exported',
      'experiment_concluded',
    ])
    const about = new Map(events.map((one) => [one.event_type, one.metadata]))
    const primary = { experiment_id: _id, primary_outcome: plan.primary_outcome }
    t.match(about.get('experiment_results_frozen'), primary)
    t.match(about.get('experiment_concluded'), { ...primary, decision: 'adopt' })
  })

  t.test('asks for the reason of a decision, and for the decision of a reason', async (t) => {
    const _id = await draft()
    await run(_id, { control: [wrote(1)], intervention: [wrote(2)] })
    const { rationale, decision: chosen } = decision
    for (const [body, field] of [
      [{ decision: chosen }, 'rationale'],
      [{ rationale }, 'decision'],
    ] as const) {
      const answer = await conclude(_id, body)
      const fault = { loc: ['body', field], msg: 'Field required', type: 'missing' }
      t.match(answer, { status: 422, body: { detail: [fault] } })
    }
    t.match((await results(_id)).body, { outcomes: null, frozen_at: null, frozen_by: null })
  })

  t.test(
    'shows when results were frozen that were concluded before this was recorded',
    async (t) => {
      const _id = await draft()
      await run(_id, { control: [wrote(1)], intervention: [wrote(2)] })
      const { body } = await conclude(_id)
      t.equal(body.frozen_at, body.conclusion.concluded_at)
      await service.db
        .updateTable('experiments')
        .set({
          conclusion: sql<FrozenConclusion>`conclusion #- '{results,known_outcomes}' #- '{results,frozen_at}' #- '{results,frozen_by}'`,
        })
        .where('_id', '=', _id)
        .execute()
      t.strictSame((await results(_id)).body, body)
    },
  )

  t.test('keeps the status of an experiment that has ended', async (t) => {
    for (const ending of ['completed', 'cancelled', 'archived']) {
      const _id = await draft()
      await run(_id, { control: [], intervention: [] })
      await update(_id, { status: ending })
      t.equal((await conclude(_id)).status, 200, ending)
      t.equal((await update(_id, {})).body.status, ending)
    }
  })

  t.test('succeeds only once for two concurrent calls', async (t) => {
    const _id = await draft()
    await run(_id, { control: [wrote(1)], intervention: [wrote(2)] })
    const statuses = (await Promise.all([conclude(_id), conclude(_id)])).map((one) => one.status)
    t.strictSame(statuses.toSorted(), [200, 409])
    t.match(await conclude(_id), { status: 409, body: { code: 'already_concluded' } })
    const concluded = (await eventsOf(_id)).filter((one) => /concluded/.test(one.event_type))
    t.equal(concluded.length, 1)
  })

  t.test('is refused for an experiment that has not run', async (t) => {
    for (const status of ['draft', 'scheduled', 'cancelled']) {
      const _id = await draft()
      await update(_id, { status })
      const body = { code: 'experiment_not_run', current_status: status }
      t.match(await conclude(_id), { status: 409, body })
    }
  })

  t.test('is refused while sessions have not ended, and names them', async (t) => {
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

  t.test('is refused when If-Match names an older version of the experiment', async (t) => {
    const _id = await draft()
    const params = { experiment_id: _id }
    const { headers } = await call('getExperiment', { token, params })
    await run(_id, { control: [{ status: 'running' }], intervention: [] })
    const old = { 'if-match': headers.get('etag') ?? '' }
    const answer = await call('concludeExperiment', { token, params, headers: old, body: decision })
    t.equal(answer.status, 412)
  })

  t.test('analyses a session in its original arm, and reports what it leaves out', async (t) => {
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
    const warnings = body.warnings.map((one: { field: string; value: string; message: string }) => {
      return `${one.field} ${one.value}: ${one.message}`
    })
    t.match(warnings, [
      /^analysis_plan null: No plan/,
      /^control_session_ids 1: Sessions that do not exist/,
      new RegExp(`^control_session_ids ${elsewhere}: .*left out`),
      new RegExp(`^control_session_ids ${cancelled}: .*cancelled`),
      new RegExp(`^intervention_session_ids ${inControl}: .*other arm.*as it ran`),
      new RegExp(`^session_ids ${inNone}: .*removed`),
    ])
  })
})
