import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, db } = service
const workplace = await openWorkplace(service)
const { admin, hr, rater, ben, cleo, session, sessionWith, join } = workplace

type Own = Partial<Schema<'NewOwnRating'>>

const rate = ({ token }: Member, session_id: string, body: Own) =>
  call('rateOneself', { token, params: { session_id }, body })
const read = ({ token }: Member, session_id: string) =>
  call('getOwnRating', { token, params: { session_id } })
const end = (session_id: string) =>
  call('endSession', { token: admin.token, params: { session_id } })
const criterion = 'Describe instead of labelling'
const values = [{ criterion, value: 3 }]

t.test('rateOneself', async (t) => {
  t.test('stores the self-rating of a participant, and replaces it', async (t) => {
    const session_id = await sessionWith([])
    const before = await read(ben, session_id)
    t.match(before, { status: 200, body: { values: [], comment: null, rated_at: null } })
    const given = { values, comment: 'I began with a label.' }
    const { status, body } = await rate(ben, session_id, given)
    t.equal(status, 200)
    t.match(body, { ...given, rated_at: String, criteria: before.body.criteria })
    t.strictSame((await rate(ben, session_id, given)).body, body, 'the same rating changes nothing')
    await end(session_id)
    const again = await rate(ben, session_id, { values: [] })
    t.match(again.body, { values: [], comment: null }, 'a rating can change after the end')
    t.strictSame((await read(ben, session_id)).body, again.body)
    const filters = { case_id: session_id, event_type: 'participant_rated_oneself' }
    const events = await auditEvents(call, admin, filters)
    t.equal(events.length, 2)
    t.match(events[1], { actor_id: ben.user_id, metadata: { criteria: [criterion] } })
    t.notMatch(JSON.stringify(events), /label\./)
  })

  t.test('stores no more for a session than the limit of the organization', async (t) => {
    const session_id = await sessionWith([])
    await setLimits(db, admin.organization_id, { rating_bytes: 1_300 })
    t.teardown(() => setLimits(db, admin.organization_id, { rating_bytes: null }))
    const say = (length: number) => rate(ben, session_id, { values, comment: 'x'.repeat(length) })
    t.match(await say(900), {
      status: 409,
      body: { code: 'quota_exceeded', quota: 'rating_bytes' },
    })
    t.equal((await say(500)).status, 200)
  })

  t.test('accepts only criteria for participants, each once and on its scale', async (t) => {
    const session_id = await sessionWith([])
    const wrong = [
      { criterion: 'Defend the rule', value: 3 },
      { criterion, value: 9 },
      { criterion, value: 2 },
    ]
    const { status, body } = await rate(ben, session_id, { values: wrong })
    t.equal(status, 422)
    t.match(body.detail, [
      { loc: ['body', 'values', '0', 'criterion'], type: 'unknown_criterion' },
      { loc: ['body', 'values', '1', 'value'], type: 'off_scale' },
      { loc: ['body', 'values', '2', 'criterion'], type: 'duplicate' },
    ])
    t.strictSame((await read(ben, session_id)).body.values, [])
  })

  t.test('is refused before the start, and for users who have not joined', async (t) => {
    const session_id = await sessionWith([])
    const waiting = await session({ participants: [{ user_id: ben.user_id }] })
    await join(ben, waiting)
    const cancelled = await session({ participants: [{ user_id: ben.user_id }] })
    await join(ben, cancelled)
    await end(cancelled)
    for (const [member, id, status, code] of [
      [cleo, session_id, 409, 'not_joined'],
      [hr, session_id, 409, 'not_a_participant'],
      [rater, session_id, 409, 'not_a_participant'],
      [ben, waiting, 409, 'session_not_rateable'],
      [ben, cancelled, 409, 'session_not_rateable'],
      [cleo, waiting, 404, 'session_not_found'],
    ] as const) {
      t.match(await read(member, id), { status, body: { code } })
      const answer = await rate(member, id, { values: [{ criterion: 'Unknown', value: 1 }] })
      t.match(answer, { status, body: { code } })
    }
  })
})

t.test('getOwnRating', async (t) => {
  t.test('shows only the criteria for participants, without their beats', async (t) => {
    const { body } = await read(ben, await sessionWith([]))
    t.match(body.criteria, [{ criterion, question: String, scale: { type: 'ordinal', max: 5 } }])
    t.equal(body.criteria.length, 1)
    t.strictSame(Object.keys(body.criteria[0]).sort(), ['criterion', 'question', 'scale'])
  })

  t.test('hides how others have rated themselves', async (t) => {
    const session_id = await sessionWith([])
    await join(cleo, session_id)
    await rate(ben, session_id, { values, comment: 'Mine.' })
    t.match((await read(cleo, session_id)).body, { values: [], comment: null })
    const params = { session_id }
    const { body } = await call('listSessionRatings', { token: hr.token, params })
    t.strictSame([body.ratings, body.self_ratings], [[], []])
  })
})

t.test('listSessionRatings', async (t) => {
  t.test('shows self-ratings after the end to those who have rated completely', async (t) => {
    const session_id = await sessionWith([])
    const params = { session_id }
    await rate(ben, session_id, { values, comment: 'Mine.' })
    const seenBy = async ({ token }: Member) =>
      (await call('listSessionRatings', { token, params })).body.self_ratings
    const { body: before } = await call('listSessionRatings', { token: hr.token, params })
    const asked: Schema<'RubricItem'>[] = before.criteria
    const ratings = asked.map(({ criterion, scale }) => {
      const whole = scale.type === 'text' ? 'Well.' : (scale.min ?? 1)
      return { criterion, value: scale.type === 'boolean' ? true : whole }
    })
    const { body } = await call('rateSession', { token: hr.token, params, body: { ratings } })
    t.match(body, { complete: true, self_ratings: [] }, 'not while the session runs')
    await end(session_id)
    const [one, ...others] = await seenBy(hr)
    t.match(one, { values, comment: 'Mine.', rated_at: String })
    t.strictSame(others, [])
    t.strictSame(await seenBy(rater), [], 'who has not rated sees none')
  })
})
