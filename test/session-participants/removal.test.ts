import { jsonb } from '../../src/database/expressions.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, db, url, registerAdmin } = service
const now = () => new Date().toISOString()
const { admin, hr, rater, ben, cleo, session, sessionWith, join } = await openWorkplace(service)
const foreign = await registerAdmin()

const remove = (session_id: string, { user_id }: Pick<Member, 'user_id'>, { token } = hr) =>
  call('removeParticipant', { token, params: { session_id, user_id } })
const get = async (session_id: string) =>
  (await call('getSession', { token: hr.token, params: { session_id } })).body

/** Starts a session with Ben and Cleo, in which Ben has written a message. */
async function startRunning(): Promise<string> {
  const session_id = await sessionWith([])
  await join(cleo, session_id)
  const [{ conversation_id }] = (await get(session_id)).conversations
  const body = { conversation_id, content: 'I am on it.', client_message_id: '1' }
  await call('postSessionMessage', { token: ben.token, params: { session_id }, body })
  return session_id
}

t.test('removeParticipant', async (t) => {
  t.test('ends the access of the user while the session is running', async (t) => {
    const session_id = await startRunning()
    const params = { session_id }
    const [{ conversation_id }] = (await get(session_id)).conversations
    const reader = await openEvents(url, ben, session_id)
    await reader.waitForMessages(1)
    t.equal((await remove(session_id, ben)).status, 204)
    const { token } = ben
    const body = { conversation_id, content: 'Still here.', client_message_id: '2' }
    const answers = [
      await call('getSession', { token, params }),
      await call('getBriefing', { token, params }),
      await call('listSessionMessages', { token, params }),
      await call('postSessionMessage', { token, params, body }),
      await call('streamSessionEvents', { token, params }),
      await call('leaveSession', { token, params }),
      await join(ben, session_id),
    ]
    for (const { status, body } of answers) t.match([status, body.code], [404, 'session_not_found'])
    const { body: listed } = await call('listSessions', { token })
    t.notOk(listed.some(({ _id }: { _id: string }) => _id === session_id))
    await reader.waitForEnd()
    t.match(reader.events.at(-1), { event: 'end', data: { reason: 'access_ended' } })
  })

  t.test('keeps their messages, and records a deviation', async (t) => {
    const session_id = await startRunning()
    const before = await get(session_id)
    await remove(session_id, ben)
    const after = await get(session_id)
    t.match(after.counts, { participants: 1, joined: 1, messages: 1 })
    t.match(after.deviations, [{ deviation: 'participant_removed', session_id, shift_ms: 0 }])
    t.ok(after.updated_at > before.updated_at)
    const params = { session_id }
    const { body: messages } = await call('listSessionMessages', { token: cleo.token, params })
    t.match(messages, [{ content: 'I am on it.', sender_id: ben.user_id }])
    const { body: briefing } = await call('getBriefing', { token: cleo.token, params })
    t.equal(briefing.participants.length, 1)
    const [event, ...others] = await auditEvents(call, admin, {
      case_id: session_id,
      event_type: 'participant_removed',
    })
    t.match(event, { actor_id: hr.user_id, metadata: { user_id: ben.user_id } })
    t.strictSame(others, [])
  })

  t.test('keeps them in exports, under their pseudonym, and lets others rate them', async (t) => {
    const session_id = await startRunning()
    const params = { session_id }
    const people = async () => {
      const { body } = await call('exportSession', { token: hr.token, params })
      const records = String(body)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      return records.flatMap(({ record, left_at, ...one }) => (record === 'session' ? [] : [one]))
    }
    const before = await people()
    const { assignment_id } = await db
      .selectFrom('session_assignments')
      .select('_id as assignment_id')
      .where('organization_id', '=', admin.organization_id)
      .where('session_id', '=', session_id)
      .where('user_id', '=', ben.user_id)
      .executeTakeFirstOrThrow()
    await remove(session_id, ben)
    t.strictSame(await people(), before)
    const rating = { criterion: 'Defend the rule', value: 4, assignment_id }
    const body = { ratings: [rating] }
    const rated = await call('rateSession', { token: rater.token, params, body })
    t.match(rated, { status: 200, body: { ratings: [rating] } })
  })

  t.test('forbids them to rate the session in which they took part', async (t) => {
    const fields = { mode: 'external' as const, participants: [{ user_id: rater.user_id }] }
    const session_id = await session(fields, 'startSession')
    await remove(session_id, rater)
    const body = { rater_ids: [rater.user_id] }
    const params = { session_id }
    t.equal((await call('updateSession', { token: hr.token, params, body })).status, 422)
    const own = await session(
      { ...fields, participants: [{ user_id: hr.user_id }] },
      'startSession',
    )
    await remove(own, hr)
    const ratings = { ratings: [{ criterion: 'Defend the rule', value: 4 }] }
    const answer = await call('rateSession', {
      token: hr.token,
      params: { session_id: own },
      body: ratings,
    })
    t.equal(answer.status, 403, 'they have no rights of a trainer in this session')
  })

  t.test('can be undone with setParticipants, at the same place', async (t) => {
    const session_id = await startRunning()
    const params = { session_id }
    const participants = [{ user_id: cleo.user_id }]
    await remove(session_id, ben)
    const set = (list: object[]) =>
      call('setParticipants', { token: hr.token, params, body: { participants: list } })
    const { body } = await set([...participants, { user_id: ben.user_id }])
    t.equal(body.length, 2)
    const readMessages = () => call('listSessionMessages', { token: ben.token, params })
    t.equal((await readMessages()).body.code, 'not_joined')
    await join(ben, session_id)
    t.equal((await readMessages()).status, 200)
  })

  t.test('leaves a place that counts for the limit of a session', async (t) => {
    const session_id = await startRunning()
    const set = (...people: Member[]) => {
      const participants = people.map(({ user_id }) => ({ user_id }))
      const params = { session_id }
      return call('setParticipants', { token: hr.token, params, body: { participants } })
    }
    await setLimits(db, admin.organization_id, { session_participants: 3 })
    t.teardown(() => setLimits(db, admin.organization_id, { session_participants: null }))
    await remove(session_id, ben)
    t.equal((await set(cleo, hr)).status, 200)
    t.match((await set(cleo, hr, admin)).body, { code: 'quota_exceeded', used: 3, allowed: 3 })
    t.equal((await set(cleo, hr, ben)).status, 200, 'the place can be taken again')
  })

  t.test('keeps the sum of shifts after many removals', async (t) => {
    const session_id = await startRunning()
    const removed = { session_id, deviation: 'participant_removed', at: now(), shift_ms: 0 }
    const shifted = { ...removed, deviation: 'clock_shifted', shift_ms: 60_000 }
    const deviations = jsonb([shifted, ...Array(999).fill(removed)])
    await db
      .updateTable('simulation_sessions')
      .set({ deviations })
      .where('_id', '=', session_id)
      .execute()
    await remove(session_id, ben)
    const { deviations: kept, clock } = await get(session_id)
    t.strictSame([kept.length, kept[0], clock.shifted_ms], [1_000, shifted, 60_000])
  })

  t.test('deletes the place before the start', async (t) => {
    const session_id = await session({ participants: [{ user_id: ben.user_id }] })
    t.equal((await remove(session_id, ben)).status, 204)
    t.match(await get(session_id), { deviations: [], counts: { participants: 0 } })
    const { body } = await remove(session_id, ben)
    t.equal(body.code, 'user_not_found')
  })

  t.test('returns 404 for users who are not participants, and 409 after the end', async (t) => {
    const session_id = await startRunning()
    for (const one of [rater, { user_id: 'unknown' }]) {
      t.match(await remove(session_id, one), { status: 404, body: { code: 'user_not_found' } })
    }
    t.equal((await remove(session_id, ben, foreign)).body.code, 'session_not_found')
    await call('endSession', { token: hr.token, params: { session_id } })
    t.match(await remove(session_id, ben), { status: 409, body: { code: 'session_ended' } })
  })
})
