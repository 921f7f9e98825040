import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, db, addMember, registerAdmin } = service
const { admin, organization_id, hr, rater, ben, cleo, cast_ids, session, join } =
  await openWorkplace(service)
const foreign = await registerAdmin()

type Wanted = { user_id: string; role_key?: string | null }[]
const set = (session_id: string, participants: Wanted, { token }: Member = hr) =>
  call('setParticipants', { token, params: { session_id }, body: { participants } })
const leave = ({ token }: Member, session_id: string) =>
  call('leaveSession', { token, params: { session_id } })
const eventsOf = async (case_id: string, event_type: string) =>
  auditEvents(call, admin, { case_id, event_type })

const handler = { user_id: ben.user_id, role_key: 'case_handler' }
const plain = { user_id: cleo.user_id }

t.test('setParticipants', async (t) => {
  t.test('numbers the places in the order in which people were added', async (t) => {
    const _id = await session()
    const { status, body } = await set(_id, [handler, plain])
    t.equal(status, 200)
    const open = { session_id: _id, full_name: null, joined_at: null, left_at: null }
    const role_title = 'Case handler for pay and time'
    t.match(body, [
      { ...open, ...handler, role_title },
      { ...open, ...plain, role_key: null, role_title: null },
    ])
    const [event, ...others] = await eventsOf(_id, 'participants_changed')
    const metadata = { added: [ben.user_id, cleo.user_id], removed: [], changed: [] }
    t.match(event, { actor_id: hr.user_id, case_id: _id, metadata })
    t.strictSame(others, [])
  })

  t.test('replaces the list before the start, and keeps remaining places', async (t) => {
    const _id = await session({ participants: [handler, plain] })
    const tag = async () => {
      const { headers } = await call('getSession', { ...hr, params: { session_id: _id } })
      return headers.get('etag')
    }
    const tagBefore = await tag()
    const before = (await set(_id, [handler, plain])).body
    t.equal(await tag(), tagBefore)
    t.strictSame(await eventsOf(_id, 'participants_changed'), [], 'the same list is not a change')
    const another = await addMember(organization_id, 'hr')
    const changed = [{ user_id: ben.user_id, role_key: null }, { user_id: another.user_id }]
    const { body } = await set(_id, changed)
    t.not(await tag(), tagBefore)
    t.equal(body.length, 2)
    t.equal(body[0]._id, before[0]._id)
    t.equal(body[0].role_key, null)
    t.match((await eventsOf(_id, 'participants_changed'))[0]?.metadata, {
      added: [another.user_id],
      removed: [cleo.user_id],
      changed: [ben.user_id],
    })
    t.strictSame((await set(_id, [])).body, [])
  })

  t.test('reports where each fault is', async (t) => {
    const _id = await session()
    const gone = await addMember(organization_id, 'employee')
    await db
      .updateTable('users')
      .set({ is_active: false })
      .where('organization_id', '=', organization_id)
      .where('_id', '=', gone.user_id)
      .execute()
    const ids = [ben.user_id, ben.user_id, gone.user_id, cast_ids[0] ?? '', foreign.user_id]
    const wanted = [...ids, createId(), 'nobody'].map((user_id) => ({ user_id }))
    const { status, body } = await set(_id, [...wanted, { ...plain, role_key: 'jester' }])
    t.equal(status, 422)
    const found = body.detail.map(
      ({ loc, msg, type }: Record<'msg' | 'type', string> & { loc: string[] }) => [
        loc.slice(2).join('.'),
        type,
        msg.replace('Value error, ', ''),
      ],
    )
    const unknown = 'is no user of this organization'
    t.strictSame(found.slice(0, -1), [
      ['1.user_id', 'duplicate', 'is named twice'],
      ['2.user_id', 'inactive', 'is inactive'],
      ['3.user_id', 'is_bot', 'is a bot: bots are in the cast'],
      ['4.user_id', 'unknown_user', unknown],
      ['5.user_id', 'unknown_user', unknown],
      ['6.user_id', 'unknown_user', unknown],
    ])
    t.match(found.at(-1), [
      '7.role_key',
      'unknown_role',
      /^is no role of hr_workforce, which has .*case_handler/,
    ])
  })

  t.test('can only add people after the start, and is refused after the end', async (t) => {
    const _id = await session({ participants: [handler] }, 'startSession')
    const refused = { code: 'participants_fixed', current_status: 'running' }
    for (const list of [[plain], [{ ...handler, role_key: null }, plain], []]) {
      const { status, body } = await set(_id, list)
      t.equal(status, 409)
      t.match(body, refused)
    }
    t.equal((await set(_id, [handler, plain])).body.length, 2)
    await call('endSession', { token: hr.token, params: { session_id: _id } })
    const { status, body } = await set(_id, [handler, plain])
    t.equal(status, 409)
    t.match(body, { ...refused, current_status: 'completed' })
  })

  t.test('lets an inactive user keep their place after the start', async (t) => {
    const dan = await addMember(organization_id, 'employee')
    const _id = await session({ participants: [{ user_id: dan.user_id }] }, 'startSession')
    const params = { user_id: dan.user_id }
    await call('updateUser', { token: admin.token, params, body: { is_active: false } })
    t.equal((await set(_id, [{ user_id: dan.user_id }, plain])).status, 200)
  })

  t.test('gives each user one pseudonym for all sessions', async (t) => {
    for (const list of [[handler, plain], [plain]]) await set(await session(), list)
    const rows = await db
      .selectFrom('session_assignments')
      .select(['user_id', 'pseudonym'])
      .distinct()
      .where('organization_id', '=', organization_id)
      .where('user_id', 'in', [ben.user_id, cleo.user_id])
      .execute()
    t.equal(rows.length, 2)
    t.not(rows[0]?.pseudonym, rows[1]?.pseudonym)
  })
})

t.test('joinSession', async (t) => {
  t.test('returns when a participant joined, and records it once', async (t) => {
    const _id = await session({ participants: [handler, plain] })
    const { status, body } = await join(ben, _id)
    t.equal(status, 200)
    t.match(body, { ...handler, role_title: /Case handler/, left_at: null })
    t.ok(body.joined_at)
    t.strictSame((await join(ben, _id)).body, body, 'joining again changes nothing')
    t.equal((await eventsOf(_id, 'participant_joined')).length, 1)

    await leave(ben, _id)
    const again = (await join(ben, _id)).body
    t.ok(again.joined_at > body.joined_at)
    t.equal(again.left_at, null)
    const events = await eventsOf(_id, 'participant_joined')
    t.equal(events.length, 2)
    t.match(events[0], { actor_id: ben.user_id, metadata: { assignment_id: body._id } })
  })

  t.test('requires consent', async (t) => {
    const params = { session_id: await session({ participants: [plain] }) }
    for (const body of [{ consent: false }, {}, { consent: 'yes' }]) {
      t.equal((await call('joinSession', { token: cleo.token, params, body })).status, 422)
    }
  })

  t.test('is refused for users who are not participants', async (t) => {
    const _id = await session({ participants: [plain], rater_ids: [rater.user_id] })
    for (const member of [admin, hr, rater]) {
      t.match(await join(member, _id), { status: 409, body: { code: 'not_a_participant' } })
    }
    t.match(await join(ben, _id), { status: 404, body: { code: 'session_not_found' } })
    await set(_id, [plain, { user_id: hr.user_id }])
    t.equal((await join(hr, _id)).status, 200, 'a trainer can be a participant as well')
  })

  t.test('is refused after the session has ended', async (t) => {
    const _id = await session({ participants: [handler, plain] }, 'startSession')
    await join(ben, _id)
    await call('endSession', { token: hr.token, params: { session_id: _id } })
    const refused = { code: 'session_ended', current_status: 'completed' }
    for (const member of [ben, cleo]) {
      t.match(await join(member, _id), { status: 409, body: refused })
    }
  })
})

t.test('leaveSession', async (t) => {
  t.test('keeps the place, and records once that the participant has left', async (t) => {
    const _id = await session({ participants: [handler, plain] })
    const { body } = await join(ben, _id)
    t.equal((await leave(ben, _id)).status, 204)
    const [place] = (await set(_id, [handler, plain])).body
    t.equal(place._id, body._id)
    t.ok(place.left_at >= place.joined_at)
    t.equal((await leave(ben, _id)).status, 204)
    t.strictSame((await set(_id, [handler, plain])).body[0], place, 'leaving again changes nothing')
    t.equal((await eventsOf(_id, 'participant_left')).length, 1)
  })

  t.test('changes nothing for a user who has not joined, or after the end', async (t) => {
    const fields = { participants: [handler, plain], rater_ids: [rater.user_id] }
    const _id = await session(fields, 'startSession')
    await join(ben, _id)
    for (const member of [cleo, hr, rater]) t.equal((await leave(member, _id)).status, 204)
    await call('endSession', { token: hr.token, params: { session_id: _id } })
    t.equal((await leave(ben, _id)).status, 204)
    t.strictSame(await eventsOf(_id, 'participant_left'), [], 'they were there until the end')
  })
})
