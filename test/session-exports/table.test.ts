import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { kinds, linesOf, rateAll, rowsOf } from '../helpers/session-files.js'
import { locate } from '../helpers/walk.js'
import { by, openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call } = service
const { admin, hr, ben, sessionWith } = await openWorkplace(service)

const end = (session_id: string) =>
  call('endSession', { token: admin.token, params: { session_id } })
const file = ({ token }: Member, session_id: string, query: Record<string, string> = {}) =>
  call('exportSession', { token, params: { session_id }, query })

t.test('exportSession', async (t) => {
  t.test('writes messages as CSV, in which no cell is a formula', async (t) => {
    const starts = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', ' =1', '\n-1']
    const text = 'quotes ", commas, and\nlines'
    const lines = [...starts, text].map((content) => by(ben, content, { offset_ms: -60_000 }))
    const _id = await sessionWith(lines)
    await end(_id)
    const { headers, body } = await file(hr, _id, { format: 'csv' })
    t.match(headers.get('content-type'), /^text\/csv/)
    t.match(headers.get('content-disposition'), /\.csv"$/)
    const messages = kinds(rowsOf(body), 'message')
    t.strictSame(
      messages.map(({ content }) => content),
      [...starts.map((start) => (start === '\n-1' ? "'\n'-1" : `'${start}`)), text],
    )
    t.match(messages[0], { session_id: _id, offset_ms: '-60000', injected: 'false', rater: '' })
  })

  t.test('writes the columns and fields that the contract shows', async (t) => {
    const _id = await sessionWith([by(ben, 'Here.')])
    const params = { session_id: _id }
    await call('createSessionNote', { token: hr.token, params, body: { content: 'Well.' } })
    const values = [{ criterion: 'Describe instead of labelling', value: 3 }]
    await call('rateOneself', { token: ben.token, params, body: { values } })
    await rateAll(service, hr, _id)
    t.equal((await call('pauseSession', { token: hr.token, params })).status, 200)
    await end(_id)
    const path = '/api/v1/simulation/sessions/{session_id}/export'
    const example = (type: string) => {
      const content = ['paths', path, 'get', 'responses', '200', 'content', type]
      return locate<{ value: string }>([...content, 'examples', 'session']).node.value
    }
    const [header] = example('text/csv').split('\n')
    t.equal((await file(hr, _id, { format: 'csv' })).body.split('\n')[0], header)
    t.equal(rowsOf(example('text/csv')).length, 8)
    const shown = linesOf(example('application/x-ndjson'))
    const records = linesOf((await file(hr, _id)).body)
    for (const one of shown) {
      const [same] = kinds(records, String(one.record))
      t.strictSame(Object.keys(same ?? {}).sort(), Object.keys(one).sort(), String(one.record))
    }
  })

  t.test('has each pause, and when it ended', async (t) => {
    const _id = await sessionWith([])
    const params = { session_id: _id }
    for (const change of ['pauseSession', 'resumeSession', 'pauseSession'] as const) {
      t.equal((await call(change, { token: hr.token, params })).status, 200)
    }
    await end(_id)
    const records = linesOf((await file(hr, _id)).body)
    const rows = rowsOf((await file(hr, _id, { format: 'csv' })).body)
    const [first = '', second] = (await auditEvents(call, admin, { case_id: _id }))
      .filter(({ event_type }) => event_type === 'session_paused')
      .map(({ created_at }) => created_at)
      .toReversed()
    t.match(kinds(records, 'pause'), [
      { paused_at: first, resumed_at: String },
      { paused_at: second, resumed_at: null },
    ])
    t.ok(String(kinds(records, 'pause')[0]?.resumed_at) >= first)
    t.match(kinds(rows, 'pause'), [{ paused_at: first }, { paused_at: second, resumed_at: '' }])
  })

  t.test('has the session and the scales of its criteria as CSV', async (t) => {
    const _id = await sessionWith([])
    await end(_id)
    const records = linesOf((await file(hr, _id)).body)
    const rows = rowsOf((await file(hr, _id, { format: 'csv' })).body)
    t.match(rows[0], { record: 'session', session_id: _id, name: 'Tuesday', status: 'completed' })
    const criteria = records[0]?.criteria as Schema<'RubricItem'>[]
    t.strictSame(
      kinds(rows, 'criterion').map(({ criterion, scale_type, scale_min, scale_max }) => {
        return [criterion, scale_type, scale_min, scale_max]
      }),
      criteria.map(({ criterion, scale: { type, min = '', max = '' } }) => {
        return [criterion, type, `${min}`, `${max}`]
      }),
    )
  })
})
