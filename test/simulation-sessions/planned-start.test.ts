import { hourMs } from '../../src/process/clock.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'

const service = await startService(t)
const { call, db, registerAdmin } = service
const { addScenario, create, read, becomes } = sessionsOf(service)
const admin = await registerAdmin()
const { token, organization_id } = admin
const { scenario_name } = await addScenario(admin, [{ metadata: { drill_minute: 0 } }])

const hoursAgo = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString()
const update = (session_id: string, body: object) =>
  call('updateSession', { token, params: { session_id }, body })

t.test('A start more than a day ago is refused, and nothing changes', async (t) => {
  const msg = 'Value error, should not be more than a day ago'
  const detail = [{ loc: ['body', 'starts_at'], msg, type: 'long_past' }]
  const starts_at = hoursAgo(25)
  const body = { name: 'Tuesday', scenario_name, starts_at }
  t.match(await call('createSession', { token, body }), { status: 422, body: { detail } })
  const { _id } = await create(admin, { scenario_name })
  t.match(await update(_id, { starts_at }), { status: 422, body: { detail } })
  t.match(await read(admin, { _id }), { status: 'draft', starts_at: null })
})

t.test('A session starts at once if its start has just passed', async (t) => {
  await becomes(admin, await create(admin, { scenario_name, starts_at: hoursAgo(1) }), 'running')
  const later = await create(admin, { scenario_name })
  t.equal((await update(later._id, { starts_at: hoursAgo(1) })).status, 200)
  await becomes(admin, later, 'running')
})

t.test('A start that was planned long ago stays when other fields change', async (t) => {
  const { _id } = await create(admin, { scenario_name })
  const starts_at = '2020-01-01T08:00:00.000Z'
  // The session is not due, or it would start.
  const old = { status: 'scheduled', starts_at, next_due_at: '2999-01-01T00:00:00.000Z' } as const
  await db
    .updateTable('simulation_sessions')
    .set(old)
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
  const same = { name: 'Later', starts_at: '2020-01-01T09:00:00+01:00' }
  t.match(await update(_id, same), { status: 200, body: { name: 'Later', starts_at } })
})
