import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, url } = service
const { admin, ben, cleo, hr, session } = await openWorkplace(service)

const remove = (session_id: string, { token }: Pick<Member, 'token'> = hr, headers = {}) =>
  call('deleteSession', { token, params: { session_id }, headers })
const get = (session_id: string) =>
  call('getSession', { token: admin.token, params: { session_id } })
const participants = [{ user_id: ben.user_id }, { user_id: cleo.user_id }]

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

  t.test('refuses a session that is scheduled, has started or has ended', async (t) => {
    const starts_at = new Date(Date.now() + 86_400_000).toISOString()
    const statuses = {
      scheduled: await session({ starts_at }),
      running: await session({}, 'startSession'),
      completed: await session({}, 'startSession', 'endSession'),
      cancelled: await session({}, 'endSession'),
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
