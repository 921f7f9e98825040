import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { locate, type SchemaObject } from '../helpers/walk.js'

const { call, registerAdmin } = await startService(t)
const admin = await registerAdmin()

const checksOf = (experiment_id: string, { token }: Member = admin) =>
  call('getExperimentReadiness', { token, params: { experiment_id } })
const assign = (experiment_id: string, body: object) =>
  call('assignSessions', { token: admin.token, params: { experiment_id }, body })

async function create(body: object, { token }: Member = admin): Promise<string> {
  return (await call('createExperiment', { token, body: { name: 'Draft', ...body } })).body._id
}

/** Creates an experiment with a registered analysis plan. */
async function createPlanned(body: object, as: Member = admin, alpha = 0.05): Promise<string> {
  const experiment_id = await create(body, as)
  const plan = { primary_outcome: 'answered_share', direction: 'increase', alpha }
  const params = { experiment_id }
  t.equal((await call('registerAnalysisPlan', { token: as.token, params, body: plan })).status, 200)
  return experiment_id
}

/** Returns the check with this name. */
async function findCheck(check: string, _id: string): Promise<Schema<'ReadinessCheck'>> {
  const { body } = await checksOf(_id)
  return body.checks.find((one: Schema<'ReadinessCheck'>) => one.check === check)
}

const control = 'control_session_ids'
const intervention = 'intervention_session_ids'
const ids = (count: number, of = 's') => Array.from({ length: count }, (_, i) => `${of}${i}`)
const arms = (one: number, two: number) => ({ [control]: ids(one, 'c'), [intervention]: ids(two) })
const period = { start_at: '2026-12-01T08:00:00Z', end_at: '2026-12-02T08:00:00Z' }
const ready = {
  ...period,
  ...arms(4, 4),
  hypothesis: 'It helps.',
  metadata: { outcome_measure: 'minutes' },
  assignment_ids: ['a1'],
}

t.test('getExperimentReadiness', async (t) => {
  const all = locate<SchemaObject>(['components', 'schemas', 'KnownReadinessCheck']).node.enum

  t.test('passes every check when nothing is missing', async (t) => {
    const _id = await createPlanned(ready)
    const { status, body } = await checksOf(_id)
    t.equal(status, 200)
    t.match(body, { experiment_id: _id, ready: true })
    t.strictSame(
      body.checks.map(({ check }: { check: string }) => check),
      all,
    )
    for (const line of body.checks)
      t.match(line, { passed: true, message: /^[A-Z].+\.$/, fix: null })
  })

  const aboutSessions = ['sessions_free', 'sessions_exist', 'sessions_not_started']
  const passedWhenEmpty = ['disjoint', ...aboutSessions]

  t.test('lists what is missing in an empty draft and what to do', async (t) => {
    const { body } = await checksOf(await create({}))
    t.equal(body.ready, false)
    const failed = body.checks.filter(({ passed }: { passed: boolean }) => !passed)
    t.strictSame(
      failed.map(({ check }: { check: string }) => check),
      all?.filter((check) => !passedWhenEmpty.includes(check)),
    )
    for (const { message, fix } of failed) t.match([message, fix], [/^[A-Z].+\.$/, /^[A-Z].+\.$/])
  })

  const lines: [check: string, faulty: object, fix: RegExp][] = [
    ['hypothesis', { hypothesis: '' }, /hypothesis/],
    ['outcome_measure', { metadata: {} }, /metadata\.outcome_measure/],
    ['outcome_measure', { metadata: { measures: [] } }, /metadata\.measures/],
    ['outcome_measure', { metadata: { measures: 'time', outcome_measure: ' ' } }, /measures/],
    ['outcome_measure', { metadata: { outcome_measure: ['time'] } }, /measures/],
    ['period_set', { start_at: null }, /^Set start_at\.$/],
    ['period_set', { end_at: null }, /^Set end_at\.$/],
    ['period_set', { start_at: null, end_at: null }, /^Set start_at and end_at\.$/],
    ['balanced', arms(9, 4), /assignSessions.*control_session_ids/],
    ['balanced', arms(4, 9), /assignSessions.*intervention_session_ids/],
    ['assignments_present', { assignment_ids: [] }, /assignSessions.*assignment_ids/],
  ]
  for (const [check, faulty, fix] of lines) {
    t.test(`fails only ${check} for ${JSON.stringify(faulty).slice(0, 60)}`, async (t) => {
      const { body } = await checksOf(await createPlanned({ ...ready, ...faulty }))
      t.equal(body.ready, false)
      const failed = body.checks.filter(({ passed }: { passed: boolean }) => !passed)
      t.match(failed, [{ check, fix }])
      t.equal(failed.length, 1)
    })
  }

  t.test('also accepts valid values of other forms', async (t) => {
    t.ok((await findCheck('outcome_measure', await create({ metadata: { measures: [1] } }))).passed)
    t.ok((await findCheck('balanced', await create(arms(8, 4)))).passed)
    const _id = await create({})
    await assign(_id, { session_ids: ids(2) })
    t.match(await findCheck('assignments_present', _id), { passed: true, message: /at random/ })
  })

  t.test('names the arm that has no session', async (t) => {
    const _id = await create(arms(1, 0))
    t.match(await findCheck('control_filled', _id), { passed: true, message: /has 1 session\./ })
    const fix = /intervention_session_ids/
    t.match(await findCheck('intervention_filled', _id), { passed: false, fix })
    t.match(await findCheck('control_filled', await create(arms(0, 2))), { passed: false })
  })

  t.test('names the running experiments with the same sessions', async (t) => {
    const company = await registerAdmin()
    const run = (experiment_id: string, status: string) =>
      call('updateExperiment', {
        token: company.token,
        params: { experiment_id },
        body: { status },
      })
    const _id = await createPlanned(ready, company)
    const other = await create({ name: 'Spring drill', [control]: ids(7) }, company)
    const own = await checksOf(_id, company)
    t.ok(own.body.ready)
    await run(_id, 'running')
    t.ok((await checksOf(_id, company)).body.ready, 'an experiment does not conflict with itself')
    await run(other, 'running')
    const { body } = await checksOf(_id, company)
    const [line] = body.checks.filter(({ passed }: { passed: boolean }) => !passed)
    t.match(line, { check: 'sessions_free', message: /: Spring drill \(s0, s1, s2, s3\)\.$/ })
    const seven = await create({ [intervention]: ids(7) }, company)
    const more = (await checksOf(seven, company)).body.checks
    t.match(JSON.stringify(more), /Spring drill \(s0, s1, s2, s3, s4 and 2 more\)/)
    await run(other, 'paused')
    t.ok((await checksOf(_id, company)).body.ready)
    const foreign = await create(ready)
    t.equal((await findCheck('sessions_free', foreign)).passed, true, 'only in one organization')
  })

  t.test('names the plan that is not written down', async (t) => {
    const { body } = await checksOf(await create(ready))
    const failed = body.checks.filter(({ passed }: { passed: boolean }) => !passed)
    t.match(failed, [{ check: 'analysis_plan', fix: /registerAnalysisPlan/ }])
    t.equal(failed.length, 1)
  })

  t.test('compares the smallest p with the alpha of the plan', async (t) => {
    const _id = await createPlanned(ready, admin, 0.01)
    const { body } = await checksOf(_id)
    t.strictSame(body.best_test, { smallest_p: 2 / 70, alpha: 0.01, fewest_sessions: 10 })
    t.match(await findCheck('smallest_p', _id), { passed: false, fix: /at least 10 sessions/ })
    // One session in an arm has no variance, however large the other arm is.
    const lone = (await checksOf(await create(arms(1, 60)))).body
    t.strictSame(lone.best_test, { smallest_p: 1, alpha: 0.05, fewest_sessions: 8 })
  })

  t.test('returns the smallest p that this number of sessions can reach', async (t) => {
    // p is 2 divided by the number of ways to fill the arms: 6, 20, 35, 70 and 1001. One session is no test.
    for (const [one, two, p, passed] of [
      [2, 2, '0.33', false],
      [3, 3, '0.1', false],
      [3, 4, '0.057', false],
      [4, 4, '0.029', true],
      [1, 1, '1', false],
      [1, 9, '1', false],
      [0, 5, '1', false],
      [4, 10, '0.002', true],
      [1000, 1000, 'less than 0.0001', true],
    ] as const) {
      const line = await findCheck('smallest_p', await create(arms(one, two)))
      const message = RegExp(`^With ${one} and ${two} sessions .* can reach is ${p}, `)
      t.match(line, { passed, message })
      if (!passed)
        t.match(
          [line.message, line.fix],
          [/\. 8 sessions, half of them in each arm, can reach alpha\.$/, /at least 8 sessions/],
        )
    }
  })

  t.test('computes the smallest p within the blocks of a random assignment', async (t) => {
    const inBlocks = (...counts: number[]) =>
      counts.map((count, i) => ({ name: `${i}`, session_ids: ids(count, `${i}-`) }))
    // Six pairs can be filled in 64 ways; blocks of two and six in 40, which is just enough.
    for (const [counts, p, passed] of [
      [[2, 2, 2, 2, 2], '0.063', false],
      [[2, 2, 2, 2, 2, 2], '0.031', true],
      [[2, 6], '0.05', true],
      [[1, 1, 1, 1, 1, 1, 1, 1], '1', false],
    ] as const) {
      const blocks = inBlocks(...counts)
      const session_ids = blocks.flatMap((block) => block.session_ids)
      const _id = await create({})
      await assign(_id, { session_ids, blocks })
      const line = await findCheck('smallest_p', _id)
      t.match(line, { passed, message: ` can reach is ${p}, ` }, counts.join())
    }
  })

  t.test('answers 404 for an unknown experiment', async (t) => {
    const { status, body } = await checksOf(createId())
    t.strictSame([status, body.code], [404, 'experiment_not_found'])
  })
})
