import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { kinds, linesOf, rateAll, rowsOf } from '../helpers/session-files.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call } = service
const { admin, hr, rater, ben, sessionWith } = await openWorkplace(service)

const file = async ({ token }: Member, session_id: string, query: Record<string, string> = {}) =>
  (await call('exportSession', { token, params: { session_id }, query })).body

const note = ({ token }: Member, session_id: string, content: string) =>
  call('createSessionNote', { token, params: { session_id }, body: { content } })

t.test('exportSession', async (t) => {
  t.test('contains notes under the same pseudonym as the ratings of their author', async (t) => {
    const _id = await sessionWith([])
    await note(rater, _id, 'They ask first.')
    await note(hr, _id, '=They wait.')
    const criteria = [{ criterion: 'Defend the rule', value: 4 }]
    const body = { ratings: criteria }
    await call('rateSession', { token: rater.token, params: { session_id: _id }, body })
    await call('endSession', { token: admin.token, params: { session_id: _id } })
    await rateAll(service, hr, _id)
    const text = await file(hr, _id)
    const records = linesOf(text)
    const notes = kinds(records, 'note')
    const about = { rater: /^r-/, message_id: null, offset_ms: Number, created_at: String }
    t.match(notes, [
      { ...about, content: 'They ask first.' },
      { ...about, content: '=They wait.' },
    ])
    const theirs = kinds(records, 'rating').filter(({ value }) => value === 4)
    t.strictSame(theirs[0]?.rater, notes[0]?.rater)
    t.not(notes[0]?.rater, notes[1]?.rater)
    for (const { user_id } of [rater, hr]) t.notMatch(text, user_id)
    t.match(records.at(-1), { notes: 2 })
    const named = kinds(linesOf(await file(admin, _id, { names: 'true' })), 'note')
    t.match(named, [{ rater_id: rater.user_id }, { rater_id: hr.user_id }])
    const rows = rowsOf(await file(hr, _id, { format: 'csv' }))
    t.match(kinds(rows, 'note'), [{ content: 'They ask first.' }, { content: "'=They wait." }])
  })

  t.test('contains self-ratings for callers who have rated the team', async (t) => {
    const _id = await sessionWith([])
    const values = [{ criterion: 'Describe instead of labelling', value: 2 }]
    const body = { values, comment: 'Too fast.' }
    await call('rateOneself', { token: ben.token, params: { session_id: _id }, body })
    await call('endSession', { token: admin.token, params: { session_id: _id } })
    const early = linesOf(await file(hr, _id))
    t.strictSame(kinds(early, 'self_rating'), [])
    t.match(early.at(-1), { self_ratings: 0 })
    await rateAll(service, hr, _id)
    const records = linesOf(await file(hr, _id))
    const [participant] = kinds(records, 'participant')
    const about = { pseudonym: participant?.pseudonym, rated_at: String }
    t.match(kinds(records, 'self_rating'), [
      { ...about, ...values[0], comment: null },
      { ...about, criterion: null, value: null, comment: 'Too fast.' },
    ])
    t.match(records.at(-1), { self_ratings: 2 })
    t.notMatch(JSON.stringify(records), ben.user_id)
    const rows = rowsOf(await file(hr, _id, { format: 'csv' }))
    t.match(kinds(rows, 'self_rating'), [{ value: '2' }, { comment: 'Too fast.' }])
  })
})
