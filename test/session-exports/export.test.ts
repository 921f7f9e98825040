import { parse } from 'csv-parse/sync'
import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { byteOrderMark, bytesAt } from '../helpers/bytes.js'
import { t } from '../helpers/file.js'
import { endsOfLines, linesForEveryReader } from '../helpers/lines.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { kinds, linesOf, type Row, rateAll, rowsOf } from '../helpers/session-files.js'
import { by, openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, db, url } = service
const workplace = await openWorkplace(service)
const { admin, organization_id, hr, rater, ben, cleo, cast_ids, sessionWith } = workplace
const params = { user_id: ben.user_id }
await call('updateUser', { token: admin.token, params, body: { full_name: 'Ben Thistlewood' } })
const [character_id = ''] = cast_ids

const injected = { author_id: hr.user_id, injected: true, content: 'And now?' }

const end = (session_id: string) =>
  call('endSession', { token: admin.token, params: { session_id } })
const file = ({ token }: Member, session_id: string, query: Record<string, string> = {}) =>
  call('exportSession', { token, params: { session_id }, query })

async function rate({ token }: Member, session_id: string, value: number) {
  const ratings = [{ criterion: 'Defend the rule', value, comment: 'Clear.' }]
  await call('rateSession', { token, params: { session_id }, body: { ratings } })
}

async function pseudonymOf({ user_id }: Member): Promise<string> {
  const query = db.selectFrom('session_assignments').select('pseudonym')
  const place = query.where('organization_id', '=', organization_id).where('user_id', '=', user_id)
  return (await place.limit(1).executeTakeFirstOrThrow()).pseudonym
}

t.test('exportSession', async (t) => {
  t.test('begins CSV with a byte order mark on request, and no other format', async (t) => {
    const _id = await sessionWith([by(ben, 'Köln')])
    const fileAs = (query: string) =>
      bytesAt(`${url}/api/v1/simulation/sessions/${_id}/export?${query}`, admin)
    const plain = await fileAs('format=csv')
    t.equal(plain[0], 0x22)
    const marked = await fileAs('format=csv&bom=true')
    t.strictSame(marked, Buffer.concat([byteOrderMark, plain]))
    const rows: Row[] = parse(marked, { columns: true, bom: true })
    t.ok(rows.some(({ record, content }) => record === 'message' && content === 'Köln'))
    for (const format of ['ndjson', 'xapi']) {
      t.strictSame(await fileAs(`format=${format}&bom=true`), await fileAs(`format=${format}`))
    }
    const refused = await file(admin, _id, { format: 'csv', bom: 'maybe' })
    t.strictSame([refused.status, refused.body.detail[0].loc], [422, ['query', 'bom']])
  })

  t.test('writes each record and each statement in one line for every reader', async (t) => {
    const _id = await sessionWith([by(ben, endsOfLines)])
    const lines = linesForEveryReader((await file(admin, _id)).body).map((line) => JSON.parse(line))
    t.match(kinds(lines, 'message'), [{ content: endsOfLines }])
    t.equal(lines.at(-1).record, 'end')
    const query = { format: 'xapi' }
    const { body } = await call('exportSession', {
      token: admin.token,
      params: { session_id: _id },
      query,
    })
    t.equal(body[0].result.response, endsOfLines)
  })

  t.test('writes the whole session as NDJSON, with pseudonyms for all people', async (t) => {
    const _id = await sessionWith([{ beat: 'lost_days' }, by(ben, 'Here.'), injected])
    await rate(rater, _id, 4)
    await rate(hr, _id, 2)
    await end(_id)
    const early = kinds(linesOf((await file(hr, _id)).body), 'rating')
    t.match(
      early,
      [{ rater: /^r-/, value: 2 }],
      'a caller who has not rated everything sees only their own ratings',
    )
    await rateAll(service, hr, _id)
    const { headers, body } = await file(hr, _id)
    t.match(headers.get('content-type'), /^application\/x-ndjson/)
    t.match(headers.get('content-disposition'), `filename="session-${_id}.ndjson"`)
    const records = linesOf(body)
    t.match(records[0], {
      record: 'session',
      _id,
      status: 'completed',
      scenario_name: 'hr_workforce',
    })
    for (const list of ['cast', 'criteria', 'conversations']) t.ok(records[0]?.[list], list)
    const pseudonym = await pseudonymOf(ben)
    t.match(kinds(records, 'participant'), [
      { pseudonym, role_key: 'case_handler', joined_at: String },
      { pseudonym: /^p-/, role_key: null, joined_at: null },
    ])
    const open = { pseudonym: null, sender_kind: 'character', character_id, channel_name: String }
    t.match(kinds(records, 'message'), [
      { ...open, seq: 1, beat: 'lost_days', injected: false, content: 'No. 0', offset_ms: 0 },
      { seq: 2, pseudonym, sender_kind: 'participant', character_id: null, content: 'Here.' },
      { ...open, seq: 3, injected: true, content: 'And now?' },
    ])
    const ratings = kinds(records, 'rating')
    const rule = ratings.filter(({ criterion }) => criterion === 'Defend the rule')
    t.strictSame(rule.map(({ value }) => value).sort(), [3, 4])
    const raters = [...new Set(ratings.map((one) => one.rater))]
    t.equal(raters.length, 2)
    t.ok(raters.includes(early[0]?.rater), 'a rater keeps the same pseudonym')
    const another = await sessionWith([])
    await rate(hr, another, 3)
    await end(another)
    const elsewhere = kinds(linesOf((await file(hr, another)).body), 'rating')
    t.equal(elsewhere[0]?.rater, early[0]?.rater, 'a rater has the same pseudonym in all sessions')
    const counts = {
      participants: 2,
      messages: 3,
      pauses: 0,
      decisions: 0,
      notes: 0,
      self_ratings: 0,
    }
    const all = { ...counts, ratings: ratings.length, trainer_messages: 0 }
    t.strictSame(records.at(-1), { record: 'end', ...all })
    for (const format of ['ndjson', 'csv', 'xapi']) {
      const { body } = await file(hr, _id, { format })
      const text = JSON.stringify(body)
      const people = [ben, cleo, hr, rater, admin].flatMap((one) => [one.user_id, one.username])
      t.strictSame(
        [...people, 'Thistlewood'].filter((one) => text.includes(one)),
        [],
        format,
      )
    }
  })

  t.test('shows each message, and hides which trainer sent it', async (t) => {
    const _id = await sessionWith([])
    const { body } = await call('getSession', { token: hr.token, params: { session_id: _id } })
    const { conversation_id } = body.conversations[0]
    const post = ({ token }: Member, more: object) => {
      const body = { conversation_id, client_message_id: createId(), content: 'Well.', ...more }
      return call('postSessionMessage', { token, params: { session_id: _id }, body })
    }
    t.equal((await post(ben, {})).status, 201)
    t.equal((await post(hr, { as_character_id: character_id })).status, 201)
    const { body: text } = await file(hr, _id)
    t.match(kinds(linesOf(text), 'message'), [
      { sender_kind: 'participant', pseudonym: await pseudonymOf(ben), injected: false },
      { sender_kind: 'character', character_id, pseudonym: null, injected: true },
    ])
    t.notMatch(text, new RegExp(`${hr.user_id}|${ben.user_id}`))
  })

  t.test('names people to admins on request', async (t) => {
    const _id = await sessionWith([by(ben, 'Here.'), injected])
    await rateAll(service, admin, _id)
    await end(_id)
    const query = { names: 'true' }
    t.match(await file(hr, _id, query), {
      status: 403,
      body: { code: 'insufficient_role', required_roles: ['super_admin', 'admin'] },
    })
    const records = linesOf((await file(admin, _id, query)).body)
    const named = { user_id: ben.user_id, full_name: 'Ben Thistlewood', pseudonym: /^p-/ }
    t.match(kinds(records, 'participant')[0], named)
    t.match(kinds(records, 'message'), [named, { user_id: null, full_name: null }])
    const [rating] = kinds(records, 'rating')
    t.match(rating, { rater_id: admin.user_id, rater_name: String, user_id: null })
    const rows = rowsOf((await file(admin, _id, { ...query, format: 'csv' })).body)
    t.match(kinds(rows, 'message')[0], named)
    const { body } = await file(admin, _id, { ...query, format: 'xapi' })
    t.match(body[0].actor, { name: 'Ben Thistlewood', account: { name: ben.user_id } })
    t.notMatch(
      JSON.stringify([records, rows, body]),
      hr.user_id,
      'the trainer who injected a message is never named',
    )
  })

  t.test('contains ratings only after the end, and never the arm', async (t) => {
    const _id = await sessionWith([])
    const change = db.updateTable('simulation_sessions').set({ arm: 'intervention' })
    await change.where('organization_id', '=', organization_id).where('_id', '=', _id).execute()
    await rate(hr, _id, 4)
    const before = linesOf((await file(hr, _id)).body)
    t.strictSame(kinds(before, 'rating'), [])
    t.match(before.at(-1), { ratings: 0 })
    await end(_id)
    t.match(linesOf((await file(hr, _id)).body).at(-1), { ratings: 1 })
    for (const format of ['ndjson', 'csv', 'xapi']) {
      const { body } = await file(admin, _id, { format, names: 'true' })
      t.notMatch(JSON.stringify(body), /"arm"|intervention/)
    }
    t.strictSame((await file(hr, _id, { format: 'xapi' })).body, [], 'there was no message')
  })

  t.test('writes every message of a long session, once and in order', async (t) => {
    const _id = await sessionWith(Array.from({ length: 1_201 }, () => ({})))
    const seqs = kinds(linesOf((await file(hr, _id)).body), 'message').map(({ seq }) => seq)
    t.strictSame(
      seqs,
      Array.from({ length: 1_201 }, (_, i) => i + 1),
    )
    const { body } = await file(hr, _id, { format: 'xapi' })
    t.equal(new Set(body.map(({ id }: Schema<'XapiStatement'>) => id)).size, 1_201)
  })

  t.test('is recorded, but a refusal is not', async (t) => {
    const _id = await sessionWith([])
    await file(hr, _id, { format: 'csv' })
    const filters = { case_id: _id, event_type: 'session_exported' }
    const events = await auditEvents(call, admin, filters)
    t.match(events, [{ actor_id: hr.user_id, metadata: { format: 'csv', names: false } }])
    t.equal((await file(hr, _id, { format: 'xlsx' })).status, 422)
    t.equal((await auditEvents(call, admin, filters)).length, 1)
  })
})
