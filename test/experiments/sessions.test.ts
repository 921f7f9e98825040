import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, registerAdmin } = service
const { admin, session } = await openWorkplace(service)
const { token } = admin

const waiting = await session()
const scheduled = await session({ starts_at: new Date(Date.now() + 86_400_000).toISOString() })
const running = await session({}, 'startSession')
const ended = await session({}, 'endSession')
const unknown = createId()
const outside = 'a session elsewhere'

const control_session_ids = [waiting, running, outside]
const intervention_session_ids = [scheduled, ended, unknown]
const warned = [
  { field: 'control_session_ids', value: running, message: /started already: running/ },
  { field: 'intervention_session_ids', value: ended, message: /started already: cancelled/ },
  { field: 'intervention_session_ids', value: unknown, message: /no such session/ },
]

async function create(fields: object = {}): Promise<Schema<'Experiment'>> {
  return (await call('createExperiment', { token, body: { name: 'Draft', ...fields } })).body
}

t.test('An arm with unknown or started sessions has warnings', async (t) => {
  const arms = { control_session_ids, intervention_session_ids }
  const { _id, warnings } = await create(arms)
  t.match(warnings, warned)
  t.equal(warnings.length, 3)
  const params = { experiment_id: _id }
  t.match((await call('getExperiment', { token, params })).body.warnings, warned)
  const body = { control_session_ids: [waiting], intervention_session_ids: [scheduled] }
  t.strictSame((await call('updateExperiment', { token, params, body })).body.warnings, [])
})

t.test('assignSessions returns the same warnings', async (t) => {
  const { _id } = await create()
  const session_ids = [...control_session_ids, ...intervention_session_ids]
  const body = { session_ids, seed: 'a seed' }
  const { status, body: answer } = await call('assignSessions', {
    ...{ token, params: { experiment_id: _id }, body },
  })
  t.equal(status, 200)
  const values = answer.warnings.map(({ value }: Schema<'Warning'>) => value)
  t.strictSame(values.sort(), [running, ended, unknown].sort())
})

t.test('getExperimentReadiness names started sessions until the experiment runs', async (t) => {
  const { _id } = await create({ control_session_ids, intervention_session_ids })
  const params = { experiment_id: _id }
  const failed = async () => {
    const { body } = await call('getExperimentReadiness', { token, params })
    const checks: Schema<'ReadinessCheck'>[] = body.checks
    return checks.filter(({ check, passed }) => check.startsWith('sessions_') && !passed)
  }
  t.match(await failed(), [
    { check: 'sessions_exist', message: RegExp(unknown) },
    { check: 'sessions_not_started', message: RegExp(`${running}.*running.*${ended}.*cancelled`) },
  ])
  await call('updateExperiment', { token, params, body: { status: 'running' } })
  const left = (await failed()).map(({ check }) => check)
  t.strictSame(left, ['sessions_exist'])
})

t.test('A session of another organization counts as unknown', async (t) => {
  const { token: foreign } = await registerAdmin()
  const body = { name: 'Draft', control_session_ids: [waiting] }
  const { body: answer } = await call('createExperiment', { token: foreign, body })
  t.match(answer.warnings, [{ value: waiting, message: /no such session/ }])
})
