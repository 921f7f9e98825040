import type { Insertable } from 'kysely'
import type { Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/formats/identifiers.js'
import { afterRating, selectRatingPage } from '../../src/session-ratings/list-queries.js'
import { selectRatings } from '../../src/session-ratings/queries.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { app, url, call, db } = service
const { admin, organization_id, hr, rater, ben, session } = await openWorkplace(service)

type Row = Insertable<Database['session_ratings']>
type Rating = Schema<'Rating'>
const comment = `"${'€'.repeat(3_000)}"`
const list = ({ token }: Member, session_id: string) =>
  call('listSessionRatings', { token, params: { session_id } })

const keyOf = (one: Rating) => [one.rater_id, one.assignment_id ?? 'team', one.criterion].join(' ')

/** Opens a session with long ratings of two raters. `rater` has rated the team completely. */
async function openRated(criteria = 150) {
  const fields = { participants: [{ user_id: ben.user_id }], rater_ids: [rater.user_id] }
  const session_id = await session(fields, 'startSession')
  const place = { organization_id, session_id, rated_at: '2026-11-23T10:40:00.500Z' }
  const { body } = await list(rater, session_id)
  const rubric: Schema<'RubricItem'>[] = body.criteria
  const asked = rubric.filter(({ scale }) => scale.type !== 'text').map((one) => one.criterion)
  const assignment_id = createId()
  const own = { rater_id: rater.user_id, pseudonym: 'r-1' }
  const rows = asked.map((criterion): Row => {
    return { ...place, ...own, subject: 'team', criterion, value: jsonb(3), comment: null }
  })
  for (let i = 0; i < criteria; i++) {
    const criterion = `criterion ${1000 + i}`
    const more = { ...place, criterion, comment, value: jsonb(i / 2) }
    rows.push({ ...more, ...own, subject: assignment_id })
    rows.push({
      ...more,
      rater_id: hr.user_id,
      pseudonym: 'r-2',
      subject: i % 2 ? 'team' : assignment_id,
    })
  }
  await db.insertInto('session_ratings').values(rows).execute()
  return { session_id, assignment_id, asked, count: rows.length, criteria }
}

t.test('listSessionRatings', async (t) => {
  t.test('sends many ratings in pieces, each once and in order', async (t) => {
    const { session_id, assignment_id, count } = await openRated()
    const { status, headers, body } = await list(rater, session_id)
    t.equal(status, 200)
    t.equal(headers.get('content-length'), null, 'the answer is never in memory as a whole')
    t.match(body, { complete: true, arm: null })
    t.equal(body.ratings.length, count)
    const stored = await selectRatings(db, { organization_id, session_id })
    const keys = stored.map((one) => [one.rater_id, one.subject, one.criterion].join(' '))
    t.strictSame(body.ratings.map(keyOf), keys)
    const one = { rater_id: hr.user_id, assignment_id, criterion: 'criterion 1008', value: 4 }
    t.strictSame(
      body.ratings.find((rating: Rating) => keyOf(rating) === keyOf(one as Rating)),
      { ...one, comment, rated_at: '2026-11-23T10:40:00.500Z' },
    )
    const team = body.ratings.filter((rating: Rating) => rating.assignment_id === null)
    t.ok(team.length > 75)
  })

  t.test('sends only their own ratings to a rater who has not rated the team', async (t) => {
    const { session_id, criteria } = await openRated()
    const { headers, body } = await list(hr, session_id)
    t.equal(headers.get('content-length'), null)
    t.match(body, { complete: false, arm: null })
    t.equal(body.ratings.length, criteria)
    t.ok(body.ratings.every(({ rater_id }: Rating) => rater_id === hr.user_id))
  })

  t.test('takes turns with other long answers of the organization', async (t) => {
    const { session_id, count } = await openRated()
    const end = await app.longAnswers.take(organization_id)
    const path = `/api/v1/simulation/sessions/${session_id}/ratings`
    const authorization = `Bearer ${rater.token}`
    const answer = fetch(url + path, { headers: { authorization } }).then((one) => one.text())
    await until(() => app.longAnswers.queued === 1)
    t.equal((await list(admin, session_id)).status, 200, 'a short answer needs no turn')
    end()
    t.equal(JSON.parse(await answer).ratings.length, count)
    t.equal(app.longAnswers.taken, 0)
  })

  t.test('reads a few rows at a time when they are long', async (t) => {
    const { session_id, count } = await openRated()
    const counted = db.withoutPlugins()
    const execute = counted.executeQuery.bind(counted)
    const rows: number[] = []
    counted.executeQuery = async (query, ...options) => {
      const answer = await execute<never>(query, ...options)
      rows.push(answer.rows.length)
      return answer
    }
    const filters = { organization_id, session_id, only_rater_id: null }
    const lengths: number[] = []
    let found = 0
    for (let after: Parameters<typeof afterRating>[0] = null; ; ) {
      const values = { ...filters, ...afterRating(after) }
      const page = await selectRatingPage(counted, values, 100, 40_000)
      found += page.count
      lengths.push(page.text.length)
      if (!page.last) break
      after = page.last
    }
    t.equal(found, count)
    t.ok(Math.max(...lengths) < 45_000, lengths.join())
    t.ok(Math.max(...rows) <= 21, rows.join())
  })
})

t.test('rateSession', async (t) => {
  t.test('sends all ratings in pieces to a rater who has completed their own', async (t) => {
    const { session_id, asked, count } = await openRated()
    const ratings = asked.map((criterion) => ({ criterion, value: 3 }))
    const given = { token: admin.token, params: { session_id }, body: { ratings } }
    const first = await call('rateSession', given)
    const again = await call('rateSession', given)
    for (const { status, headers, body } of [first, again]) {
      t.match([status, body.complete], [200, true])
      t.equal(headers.get('content-length'), null)
      t.equal(body.ratings.length, count + asked.length)
    }
    t.strictSame((await list(admin, session_id)).body, first.body)
  })
})
