import { sql } from 'kysely'
import { openEvents } from '../helpers/event-stream.js'
import { openLab } from '../helpers/experiments.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, db, url } = service
const { admin, ben, cleo, hr, join, session } = await openWorkplace(service)

const remove = (session_id: string, { token }: Pick<Member, 'token'> = hr, headers = {}) =>
  call('deleteSession', { token, params: { session_id }, headers })
const get = (session_id: string) =>
  call('getSession', { token: admin.token, params: { session_id } })
const participants = [{ user_id: ben.user_id }, { user_id: cleo.user_id }]

/** The tables that have rows of a session. */
async function tablesWith(session_id: string): Promise<string[]> {
  const columns = await sql<{ table_name: string; column_name: string }>`
    select table_name, column_name from information_schema.columns
    where table_schema = current_schema()
      and column_name in ('session_id', 'simulation_session_id')`.execute(db)
  const found: string[] = []
  for (const { table_name, column_name } of columns.rows) {
    const { rows } = await sql`select 1 from ${sql.table(table_name)}
      where ${sql.ref(column_name)}::text = ${session_id} limit 1`.execute(db)
    if (rows.length > 0) found.push(table_name)
  }
  return found.sort()
}

t.test('deleteSession', async (t) => {
  t.test('deletes a draft with its places, and records it in the trail', async (t) => {
    const session_id = await session({ participants, metadata: { room: 'Blue' } })
    t.equal((await remove(session_id)).status, 204)
    t.match(await get(session_id), { status: 404, body: { code: 'session_not_found' } })
    t.strictSame((await call('listSessions', { token: ben.token })).body, [])
    t.equal((await remove(session_id)).status, 404)
    const filter = { case_id: session_id, event_type: 'session_deleted' }
    const [event, ...others] = await auditEvents(call, admin, filter)
    const about = { name: 'Tuesday', scenario_name: 'hr_workforce', metadata: { room: 'Blue' } }
    t.match(event, { actor_id: hr.user_id, metadata: about })
    t.strictSame(others, [])
  })

  t.test('deletes a session that has ended, with everything in it', async (t) => {
    const session_id = await session({ participants }, 'startSession')
    const params = { session_id }
    await join(ben, session_id)
    await call('askTrainer', { token: ben.token, params, body: { content: 'May I?' } })
    await call('createSessionNote', { token: hr.token, params, body: { content: 'They wait.' } })
    await call('endSession', { token: hr.token, params })
    const tables = ['session_assignments', 'session_messages', 'session_notes', 'trainer_messages']
    t.strictSame(await tablesWith(session_id), tables)
    t.equal((await remove(session_id)).status, 204)
    t.match(await get(session_id), { status: 404, body: { code: 'session_not_found' } })
    t.strictSame(await tablesWith(session_id), [])
    const filter = { case_id: session_id, event_type: 'session_deleted' }
    t.match(await auditEvents(call, admin, filter), [{ metadata: { status: 'completed' } }])
  })

  t.test('keeps a session of an experiment until the results are frozen', async (t) => {
    const { draft, run, conclude, results } = openLab(service, admin)
    const experiment_id = await draft()
    const arms = await run(experiment_id, { control: [{}, {}], intervention: [{}, {}] })
    const [session_id = ''] = arms.control_session_ids
    t.match(await remove(session_id), { status: 409, body: { code: 'not_concluded' } })
    t.equal((await get(session_id)).status, 200)
    const { body: concluded } = await conclude(experiment_id)
    t.equal((await remove(session_id)).status, 204)
    t.strictSame((await results(experiment_id)).body, concluded)
  })

  t.test('refuses a session that is scheduled or under way', async (t) => {
    const starts_at = new Date(Date.now() + 86_400_000).toISOString()
    const statuses = {
      scheduled: await session({ starts_at }),
      running: await session({}, 'startSession'),
      paused: await session({}, 'startSession', 'pauseSession'),
    }
    for (const [current_status, session_id] of Object.entries(statuses)) {
      const { status, body } = await remove(session_id)
      t.match([status, body], [409, { code: 'session_not_draft', current_status }])
      t.equal((await get(session_id)).status, 200)
    }
  })

  t.test('ends the streams of its trainers', async (t) => {
    const session_id = await session()
    const reader = await openEvents(url, admin, session_id)
    await remove(session_id)
    await reader.waitForEnd()
    t.ok(reader.isOver())
  })

  t.test('honours If-Match', async (t) => {
    const session_id = await session()
    const { headers } = await get(session_id)
    await call('updateSession', {
      ...{ token: hr.token, params: { session_id }, body: { name: 'Wednesday' } },
    })
    const stale = { 'if-match': String(headers.get('etag')) }
    t.equal((await remove(session_id, hr, stale)).status, 412)
    const { headers: now } = await get(session_id)
    t.equal((await remove(session_id, hr, { 'if-match': String(now.get('etag')) })).status, 204)
  })
})
