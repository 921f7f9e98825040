import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, db, addMember } = service
const workplace = await openWorkplace(service)
const { admin, organization_id, hr, rater, ben, cleo, session } = workplace
const kirkpatrick = { evaluation_model: 'kirkpatrick_four_levels' }
await call('applyQuickSetup', { token: admin.token, body: kirkpatrick })

type Ratings = Partial<Schema<'NewRating'>>[]
const rate = ({ token }: Member, session_id: string, ratings: Ratings) =>
  call('rateSession', { token, params: { session_id }, body: { ratings } })
const list = ({ token }: Member, session_id: string) =>
  call('listSessionRatings', { token, params: { session_id } })
const participants = [{ user_id: ben.user_id, role_key: 'case_handler' }, { user_id: cleo.user_id }]

/** Starts a session with a rater. Returns it with the place of one participant. */
async function startRunning(...steps: ('pauseSession' | 'endSession')[]) {
  const fields = { participants, rater_ids: [rater.user_id] }
  const session_id = await session(fields, 'startSession', ...steps)
  const { assignment_id } = await db
    .selectFrom('session_assignments')
    .select('_id as assignment_id')
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .where('user_id', '=', ben.user_id)
    .executeTakeFirstOrThrow()
  return { session_id, assignment_id }
}

/** Returns one rating for every criterion that needs no text. */
async function createRatings(session_id: string): Promise<Ratings> {
  const { body } = await list(rater, session_id)
  const criteria: Schema<'RubricItem'>[] = body.criteria
  const values: Record<string, unknown> = { ordinal: 3, count: 40, duration: 2.5, boolean: true }
  return criteria.flatMap(({ criterion, scale: { type } }) => {
    const value = values[type] as number | undefined
    return value === undefined ? [] : [{ criterion, value }]
  })
}

const ratedEvents = (case_id: string) =>
  auditEvents(call, admin, { case_id, event_type: 'session_rated' })

/** The ratings in a fixed order and without times. */
const ratingsIn = ({ ratings }: Schema<'SessionRatings'>) =>
  ratings.map(({ rated_at, ...rating }) => JSON.stringify(Object.entries(rating).sort())).sort()
const like = (ratings: Omit<Schema<'Rating'>, 'rated_at'>[]) =>
  ratings.map((rating) => JSON.stringify(Object.entries(rating).sort())).sort()

t.test('rateSession', async (t) => {
  t.test("stores a rater's ratings of the team and of one participant", async (t) => {
    const { session_id, assignment_id } = await startRunning()
    const criterion = 'Tell those affected'
    const comment = 'Within the hour, by name.'
    const { status, body } = await rate(rater, session_id, [
      { criterion, value: 4, comment },
      { criterion, value: 2, assignment_id },
      { criterion: 'Behaviour', value: false, assignment_id: null },
      { criterion: 'Results', value: 'Fewer calls.', comment: null },
    ])
    t.equal(status, 200)
    const own = { rater_id: rater.user_id, assignment_id: null, comment: null }
    const expected = [
      { ...own, criterion, value: 4, comment },
      { ...own, criterion, value: 2, assignment_id },
      { ...own, criterion: 'Behaviour', value: false },
      { ...own, criterion: 'Results', value: 'Fewer calls.' },
    ]
    t.strictSame(ratingsIn(body), like(expected))
    t.strictSame((await list(rater, session_id)).body, body)
    const [event] = await ratedEvents(session_id)
    const criteria = [criterion, 'Behaviour', 'Results']
    t.match(event, { actor_id: rater.user_id, metadata: { criteria, ratings: 4 } })
    t.notMatch(JSON.stringify(event), /Within the hour|Fewer calls/)
  })

  t.test("replaces the rater's earlier ratings, but not those of others", async (t) => {
    const { session_id } = await startRunning()
    const all = await createRatings(session_id)
    // One criterion is missing.
    const some = all.slice(1)
    await rate(hr, session_id, all)
    const before = (await rate(rater, session_id, some)).body
    t.strictSame((await rate(rater, session_id, [...some].reverse())).body, before)
    t.equal((await ratedEvents(session_id)).length, 2, 'the same ratings are not a change')

    const changed = some.map((one, i) => (i === 0 ? { ...one, comment: 'Late.' } : one))
    const { body } = await rate(rater, session_id, changed)
    const timeOf = ({ ratings }: Schema<'SessionRatings'>, nth: number) =>
      ratings.find((one) => {
        return one.rater_id === rater.user_id && one.criterion === some[nth]?.criterion
      })?.rated_at ?? ''
    t.ok(timeOf(body, 0) > timeOf(before, 0))
    t.equal(timeOf(body, 1), timeOf(before, 1), 'an unchanged rating keeps its time')

    t.strictSame((await rate(rater, session_id, [])).body.ratings, [])
    t.equal((await ratedEvents(session_id)).length, 4)
    t.equal((await list(hr, session_id)).body.ratings.length, all.length)
  })

  t.test('is final after the team is rated by every criterion', async (t) => {
    const { session_id } = await startRunning()
    const all = await createRatings(session_id)
    const { body } = await rate(rater, session_id, all)
    t.equal(body.complete, true)
    const refused = await rate(rater, session_id, all.slice(1))
    t.match(refused, { status: 409, body: { code: 'ratings_final' } })
    t.strictSame(
      (await rate(rater, session_id, all)).body,
      body,
      'the same ratings are not a change',
    )
  })

  t.test('reports where each fault is', async (t) => {
    const { session_id } = await startRunning()
    const other = await startRunning()
    const wrong = [
      ['criterion', { criterion: 'Courage', value: 3 }],
      ['assignment_id', { criterion: 'Behaviour', value: true, assignment_id: createId() }],
      ['assignment_id', { criterion: 'Reaction', value: 3, assignment_id: other.assignment_id }],
      ['value', { criterion: 'Reaction', value: 6 }],
      ['criterion', { criterion: 'Reaction', value: 5 }],
      ['value', { criterion: 'Name who pays', value: 2.5 }],
      ['value', { criterion: 'Defend the rule', value: '3' }],
      ['value', { criterion: 'Tell those affected', value: true }],
      ['value', { criterion: 'Learning', value: -1 }],
      ['value', { criterion: 'Behaviour', value: 1 }],
      ['value', { criterion: 'Results', value: ' ' }],
    ] as const
    const { status, body } = await rate(
      rater,
      session_id,
      wrong.map(([, rating]) => rating),
    )
    t.equal(status, 422)
    t.strictSame(
      body.detail.map(({ loc }: { loc: string[] }) => loc),
      wrong.map(([place], i) => ['body', 'ratings', String(i), place]),
    )
    t.match(body.detail[0], { msg: /is no criterion of the rubric/, type: 'unknown_criterion' })
    t.match(body.detail[3].msg, 'is no whole number from 1 to 5')
    t.match(body.detail[4], { msg: /is rated twice/, type: 'duplicate' })
    const huge = await rate(rater, session_id, [{ criterion: 'Results', value: 1e76 }])
    t.match(huge, { status: 422, body: { detail: [{ loc: ['body', 'ratings', '0', 'value'] }] } })
    t.strictSame((await list(rater, session_id)).body.ratings, [], 'none of the ratings is stored')
  })

  t.test('stores no more for a session than the limit of the organization', async (t) => {
    const { session_id } = await startRunning('endSession')
    await setLimits(db, organization_id, { rating_bytes: 3_600 })
    t.teardown(() => setLimits(db, organization_id, { rating_bytes: null }))
    const [first = {}] = await createRatings(session_id)
    const say = (member: Member, length: number) =>
      rate(member, session_id, [{ ...first, comment: 'x'.repeat(length) }])
    t.equal((await say(rater, 2_500)).status, 200)
    const refused = await say(hr, 1_000)
    t.match(
      [refused.status, refused.body],
      [409, { code: 'quota_exceeded', quota: 'rating_bytes' }],
    )
    t.equal((await list(hr, session_id)).body.ratings.length, 0)
    t.equal((await say(rater, 2_000)).status, 200, 'fewer ratings are always accepted')
    t.equal((await say(hr, 800)).status, 200)
  })

  t.test('is refused before the start and after a cancellation', async (t) => {
    const [one] = await createRatings(await session({ rater_ids: [rater.user_id] }))
    const starts_at = '2099-01-01T00:00:00Z'
    for (const [current_status, fields, steps] of [
      ['draft', {}, []],
      ['scheduled', { starts_at }, []],
      ['cancelled', {}, ['endSession']],
    ] as const) {
      const id = await session({ ...fields, rater_ids: [rater.user_id] }, ...steps)
      const answer = await rate(rater, id, one ? [one] : [])
      t.match(answer, { status: 409, body: { code: 'session_not_rateable', current_status } })
    }
    for (const step of ['pauseSession', 'endSession'] as const) {
      const { session_id } = await startRunning(step)
      t.equal((await rate(rater, session_id, one ? [one] : [])).status, 200)
    }
  })
})

t.test('listSessionRatings', async (t) => {
  t.test("shows others' ratings and the arm only after the caller has rated all", async (t) => {
    const { session_id, assignment_id } = await startRunning()
    await db
      .updateTable('simulation_sessions')
      .set({ arm: 'control' })
      .where('organization_id', '=', organization_id)
      .where('_id', '=', session_id)
      .execute()
    const all = await createRatings(session_id)
    await rate(hr, session_id, all)
    const nearly = all.map((one, i) => (i === 0 ? { ...one, assignment_id } : one))
    t.match(await rate(rater, session_id, nearly), { body: { complete: false, arm: null } })
    for (const reader of [rater, admin]) {
      const { body } = await list(reader, session_id)
      t.match(body, { complete: false, arm: null })
      t.notMatch(JSON.stringify(body), new RegExp(hr.user_id))
      t.ok(body.criteria.some(({ scale }: Schema<'RubricItem'>) => scale.type === 'text'))
    }
    const { body } = await rate(rater, session_id, all)
    t.match(body, { complete: true, arm: 'control' })
    t.equal(body.ratings.length, 2 * all.length, 'text answers are not required')
  })

  t.test('is refused to participants', async (t) => {
    const peer = await addMember(organization_id, 'executive')
    const session_id = await session({ participants: [{ user_id: peer.user_id }] }, 'startSession')
    for (const answer of [await list(peer, session_id), await rate(peer, session_id, [])]) {
      t.match(answer, { status: 403, body: { code: 'insufficient_role' } })
    }
    t.equal((await list(rater, session_id)).status, 404)
    t.equal((await rate(rater, session_id, [])).status, 404)
  })
})
