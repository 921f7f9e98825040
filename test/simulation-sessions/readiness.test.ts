import type { Schema } from '../../src/contract.js'
import { openLab } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, db, registerAdmin, addMember } = service
const { addScenario, create, becomes } = sessionsOf(service)
const { admin, organization_id, ben, cleo } = await openWorkplace(service)
const { draft, update } = openLab(service, admin)
const dan = await addMember(organization_id, 'employee')

const readiness = async (session_id: string) =>
  call('getSessionReadiness', { token: admin.token, params: { session_id } })
const start = (session_id: string) =>
  call('startSession', { token: admin.token, params: { session_id } })

/** The checks that a session did not pass. */
async function failedChecks(session_id: string): Promise<string[]> {
  const { body } = await readiness(session_id)
  const failed = body.checks.filter(({ passed }: Schema<'ReadinessCheck'>) => !passed)
  t.equal(body.ready, failed.length === 0)
  return failed.map(({ check }: Schema<'ReadinessCheck'>) => check)
}

t.test('createSession', async (t) => {
  t.test('refuses a scenario that neither the organization nor the catalogue has', async (t) => {
    const other = await registerAdmin()
    const { scenario_name } = await addScenario(other, [{}])
    for (const unknown of ['hr_workfroce', scenario_name]) {
      const body = { name: 'Tuesday', scenario_name: unknown }
      const answer = await call('createSession', { token: admin.token, body })
      t.equal(answer.status, 422)
      const loc = ['body', 'scenario_name']
      t.match(answer.body.detail, [{ loc, type: 'unknown_scenario' }])
      t.match(
        answer.body.detail[0].msg,
        /is no scenario of this organization; it has: .*hr_workforce/,
      )
      t.notMatch(answer.body.detail[0].msg, 'play-')
    }
    const own = { name: 'Tuesday', scenario_name }
    t.equal((await call('createSession', { token: other.token, body: own })).status, 201)
    const known = async () => {
      const body = { ...own, scenario_name: 'none' }
      return (await call('createSession', { token: other.token, body })).body.detail[0].msg
    }
    t.match(await known(), scenario_name)
    t.notMatch(await known(), 'and others')
    for (let i = 1; i < 20; i++) await addScenario(other, [{}])
    t.match(await known(), /and others$/)
  })

  t.test('warns about missing parts until they exist', async (t) => {
    const { token } = await registerAdmin()
    const body = { name: 'Tuesday', scenario_name: 'hr_workforce' }
    const { body: session } = await call('createSession', { token, body })
    const fields = (warnings: Schema<'Warning'>[]) => warnings.map(({ field }) => field)
    const team = ['participants', 'participants']
    t.strictSame(fields(session.warnings), [...team, 'scenario_name', 'scenario_name'])
    await call('applyQuickSetup', { token, body: { scenario_type: 'hr_workforce' } })
    const params = { session_id: session._id }
    const { body: later } = await call('getSession', { token, params })
    t.strictSame(fields(later.warnings), team)
  })

  t.test('warns only trainers', async (t) => {
    const participants = [{ user_id: ben.user_id }]
    const { _id } = await create(admin, { scenario_name: 'hr_workforce', participants })
    const params = { session_id: _id }
    t.strictSame((await call('getSession', { token: ben.token, params })).body.warnings, [])
  })
})

t.test('getSessionReadiness', async (t) => {
  t.test('shows what a start would find, and changes nothing', async (t) => {
    const session = await create(admin, { scenario_name: 'hr_workforce' })
    t.strictSame(await failedChecks(session._id), ['participants', 'roles'])
    const { body: briefing } = await readiness(session._id)
    const roles = briefing.checks.find(({ check }: Schema<'ReadinessCheck'>) => check === 'roles')
    const keys = roles.message.match(/\w+_\w+/g) ?? []
    const people = [ben, cleo, dan]
    const participants = people.map(({ user_id }, i) => ({ user_id, role_key: keys[i] }))
    const params = { session_id: session._id }
    const { token } = admin
    await call('setParticipants', { token, params, body: { participants } })
    const { body } = await readiness(session._id)
    t.equal(body.ready, true)
    const { body: same } = await call('getSession', { token, params })
    t.match(same, { status: 'draft', conversations: [] })
    const { body: started } = await start(session._id)
    t.strictSame([started.counts.planned, started.warnings], [body.planned, body.warnings])
    t.ok((await failedChecks(session._id)).includes('not_started'))
  })

  t.test('names the limit that a start would exceed', async (t) => {
    const { scenario_name } = await addScenario(admin, [{}, {}, {}])
    const { _id } = await create(admin, { scenario_name })
    t.notOk((await failedChecks(_id)).includes('limits'))
    await setLimits(db, admin.organization_id, { plan_lines: 2 })
    t.teardown(() => setLimits(db, admin.organization_id, { plan_lines: null }))
    t.match(await failedChecks(_id), /limits/)
    const { body } = await readiness(_id)
    t.match(body.checks.slice(-2), [
      { check: 'plan', passed: false, message: /limit/ },
      { check: 'limits', passed: false, message: /plan_lines/ },
    ])
    t.equal((await start(_id)).body.code, 'quota_exceeded')
  })

  t.test('shows what would be planned, even when no session may run', async (t) => {
    const { scenario_name } = await addScenario(admin, [{ metadata: { drill_minute: 5 } }])
    const { _id } = await create(admin, { scenario_name })
    await setLimits(db, admin.organization_id, { sessions_running: 0 })
    t.teardown(() => setLimits(db, admin.organization_id, { sessions_running: null }))
    const { body } = await readiness(_id)
    t.match(body, { ready: false, planned: 1 })
    t.match(body.checks.slice(-2), [
      { check: 'plan', passed: true },
      { check: 'limits', passed: false, message: /sessions_running/ },
    ])
  })

  t.test('says that the experiment of the session does not run yet', async (t) => {
    const { scenario_name } = await addScenario(admin, [{}])
    const { _id } = await create(admin, { scenario_name })
    t.notOk((await failedChecks(_id)).includes('experiment'), 'without an experiment')
    const experiment_id = await draft({ control_session_ids: [_id] })
    const { body } = await readiness(_id)
    t.match(
      body.checks.find(({ check }: Schema<'ReadinessCheck'>) => check === 'experiment'),
      { passed: false, message: 'Its experiment does not run: it is draft.', fix: /first/ },
    )
    await update(experiment_id, { status: 'running' })
    t.notOk((await failedChecks(_id)).includes('experiment'), 'once it runs')
  })

  t.test('returns 404 for an unknown session', async (t) => {
    t.match(await readiness('none'), { status: 404, body: { code: 'session_not_found' } })
  })
})

t.test('startSession', async (t) => {
  t.test('refuses a scripted session without messages, but not an external one', async (t) => {
    const { scenario_name } = await addScenario(admin, [])
    const scripted = await create(admin, { scenario_name })
    t.ok((await failedChecks(scripted._id)).includes('plan'))
    t.match(await start(scripted._id), { status: 409, body: { code: 'nothing_prepared' } })
    const { body } = await call('getSession', {
      ...{ token: admin.token, params: { session_id: scripted._id } },
    })
    t.equal(body.status, 'draft')
    const external = await create(admin, { scenario_name, mode: 'external' })
    t.notOk((await failedChecks(external._id)).includes('plan'))
    t.equal((await start(external._id)).status, 200)
  })

  t.test('fails for the same reason at the scheduled time', async (t) => {
    const { scenario_name } = await addScenario(admin, [])
    const starts_at = new Date().toISOString()
    const session = await create(admin, { scenario_name, starts_at })
    const failed = await becomes(admin, session, 'failed')
    t.match(failed.failure, { code: 'nothing_prepared' })
    const { body } = await readiness(session._id)
    t.match(body.checks.slice(-3), [
      { check: 'not_started', passed: true, message: /retrySession/ },
      { check: 'plan', passed: false },
      { check: 'limits', passed: true },
    ])
  })
})
