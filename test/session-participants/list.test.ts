import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, addMember } = service
const { admin, organization_id, hr, ben, cleo, cast_ids, session, sessionWith, join } =
  await openWorkplace(service)

const list = (session_id: string) =>
  call('listParticipants', { token: hr.token, params: { session_id } })
const add = (session_id: string, { user_id }: { user_id: string }, body?: object) =>
  call('addParticipant', {
    token: hr.token,
    params: { session_id, user_id },
    ...(body && { body }),
  })
const changes = (case_id: string) =>
  auditEvents(call, admin, { case_id, event_type: 'participants_changed' })

const handler = { user_id: ben.user_id, role_key: 'case_handler' }
const plain = { user_id: cleo.user_id }

t.test('listParticipants', async (t) => {
  t.test('shows who has joined and when they last wrote', async (t) => {
    const session_id = await sessionWith([])
    const before = await list(session_id)
    t.match(before.body, [
      { ...handler, joined_at: /Z$/, left_at: null, last_spoke_at: null },
      { ...plain, joined_at: null, left_at: null, last_spoke_at: null },
    ])
    const params = { session_id }
    const { body: found } = await call('getSession', { token: hr.token, params })
    const [{ conversation_id }] = found.conversations
    const body = { conversation_id, content: 'Here', client_message_id: '1' }
    const { body: message } = await call('postSessionMessage', { token: ben.token, params, body })
    const after = await list(session_id)
    t.match(after.body, [{ last_spoke_at: message.posted_at }, { last_spoke_at: null }])
    t.equal(after.headers.get('etag'), before.headers.get('etag'), 'a message changes no place')
    await join(cleo, session_id)
    t.not((await list(session_id)).headers.get('etag'), before.headers.get('etag'))
  })
})

t.test('setParticipants with If-Match', async (t) => {
  const session_id = await session({ participants: [handler] })
  await join(ben, session_id)
  const tag = String((await list(session_id)).headers.get('etag'))
  const set = (if_match: string, participants: object[]) =>
    call('setParticipants', {
      ...{ token: hr.token, params: { session_id }, body: { participants } },
      headers: { 'if-match': if_match },
    })
  await add(session_id, cleo)
  t.match(await set(tag, [handler]), { status: 412, body: { code: 'precondition_failed' } })
  const { body: places, headers } = await list(session_id)
  t.equal(places.length, 2, 'no participant is removed')

  const another = await addMember(organization_id, 'employee')
  const wanted = [...[ben, cleo, another].map(({ user_id }) => ({ user_id }))]
  const answer = await set(String(headers.get('etag')), wanted)
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('etag'), (await list(session_id)).headers.get('etag'))
  const kept = ({ _id, joined_at }: { _id: string; joined_at: string | null }) => [_id, joined_at]
  t.strictSame(answer.body.slice(0, 2).map(kept), places.map(kept), 'places and consents stay')
})

t.test('addParticipant', async (t) => {
  t.test('leaves the other places unchanged', async (t) => {
    const session_id = await session({ participants: [handler] })
    await join(ben, session_id)
    const { body: before } = await list(session_id)
    const added = await add(session_id, cleo)
    t.match(added, { status: 200, body: { ...plain, role_key: null, joined_at: null } })
    t.strictSame((await list(session_id)).body, [...before, added.body])
    const [event] = await changes(session_id)
    t.strictSame(event?.metadata, { added: [cleo.user_id], removed: [], changed: [] })
    t.strictSame((await add(session_id, cleo)).body, added.body)
    t.equal((await changes(session_id)).length, 1, 'a repeated request changes nothing')
  })

  t.test('assigns a new role before the start', async (t) => {
    const session_id = await session({ participants: [plain] })
    const { body } = await add(session_id, cleo, { role_key: 'case_handler' })
    t.match(body, { role_key: 'case_handler', role_title: 'Case handler for pay and time' })
    t.strictSame((await add(session_id, cleo)).body, body, 'without a role the old one stays')
    t.match((await add(session_id, cleo, { role_key: null })).body, { role_key: null })
  })

  t.test('adds people after the start, but then changes no role', async (t) => {
    const session_id = await session({ participants: [handler] }, 'startSession')
    t.equal((await add(session_id, cleo)).status, 200)
    const answer = await add(session_id, cleo, { role_key: 'case_handler' })
    t.match(answer, { status: 409, body: { code: 'participants_fixed' } })
    const params = { session_id }
    await call('endSession', { token: hr.token, params })
    t.match(await add(session_id, cleo), { status: 409, body: { code: 'session_ended' } })
  })

  t.test('reports where each fault is', async (t) => {
    const session_id = await session()
    for (const user_id of [createId(), 'unknown']) {
      const answer = await add(session_id, { user_id })
      t.match(answer, { status: 404, body: { code: 'user_not_found' } })
    }
    const bot = await add(session_id, { user_id: cast_ids[0] ?? '' })
    t.match(bot, { status: 422, body: { detail: [{ loc: ['path', 'user_id'], msg: /is a bot/ }] } })
    const role = await add(session_id, ben, { role_key: 'jester' })
    t.match(role, {
      status: 422,
      body: { detail: [{ loc: ['body', 'role_key'], msg: /no role/ }] },
    })
    t.strictSame((await list(session_id)).body, [])
  })
})
