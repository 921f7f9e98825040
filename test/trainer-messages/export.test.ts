import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { openPrivateWords } from '../helpers/private-words.js'
import { type Member, startService } from '../helpers/service.js'
import { linesOf, type Row, rowsOf } from '../helpers/session-files.js'

const service = await startService(t)
const { call, db } = service
const { admin, organization_id, hr, ben, cleo, ask, answer, open } = await openPrivateWords(service)

const file = async ({ token }: Member, session_id: string, query: Record<string, string> = {}) =>
  (await call('exportSession', { token, params: { session_id }, query })).body as string
const isWord = ({ record }: Row) => record === 'trainer_message'

t.test('exportSession', async (t) => {
  t.test('contains private words only for admins, with pseudonyms', async (t) => {
    const { session_id, ofBen, ofCleo } = await open('startSession')
    const { body: question } = await ask(ben, session_id, 'May I?')
    await answer(hr, ofBen, 'Yes.')
    await answer(hr, ofCleo, '=Wait.')
    const text = await file(admin, session_id)
    const records = linesOf(text)
    const [first, second] = records.filter(({ record }) => record === 'participant')
    const { pseudonym } = first ?? {}
    t.strictSame(records.find(isWord), {
      record: 'trainer_message',
      seq: 1,
      message_id: question._id,
      pseudonym,
      from_trainer: false,
      to_all: false,
      offset_ms: question.elapsed_ms,
      content: 'May I?',
      created_at: question.created_at,
    })
    t.match(records.filter(isWord), [
      {},
      { seq: 2, pseudonym, from_trainer: true, content: 'Yes.' },
      { seq: 3, pseudonym: second?.pseudonym, from_trainer: true },
    ])
    t.match(records.at(-1), { record: 'end', trainer_messages: 3 })
    for (const { user_id } of [ben, cleo, hr]) t.notMatch(text, user_id)

    const ofHr = linesOf(await file(hr, session_id))
    t.strictSame(ofHr.filter(isWord), [])
    t.match(ofHr.at(-1), { record: 'end', trainer_messages: 0 })
  })

  t.test('names the participant in CSV on request, and has no words in xAPI', async (t) => {
    const { session_id, ofBen } = await open('startSession')
    await answer(hr, ofBen, '=Yes.', { to_all: true })
    const text = await file(admin, session_id, { format: 'csv', names: 'true' })
    const rows = rowsOf(text)
    const word = { seq: '1', content: "'=Yes.", user_id: ben.user_id }
    const marks = { from_trainer: 'true', to_all: 'true' }
    t.match(rows.filter(isWord), [{ ...word, ...marks, session_id, created_at: /Z$/ }])
    t.notMatch(text, hr.user_id)
    const statements = await file(admin, session_id, { format: 'xapi' })
    t.notMatch(JSON.stringify(statements), 'Yes')
  })

  t.test('contains each of many private words once', async (t) => {
    const { session_id, assignment_id } = (await open('startSession')).ofBen
    const own = { organization_id, session_id, assignment_id, sender_id: ben.user_id }
    const words = Array.from({ length: 120 }, (_, i) => ({
      ...own,
      _id: createId(),
      // The words of a place that was deleted before the start leave a gap.
      seq: 2 * i + 1,
      from_trainer: false,
      content: 'Well.',
      created_at: new Date().toISOString(),
    }))
    await db.insertInto('trainer_messages').values(words).execute()
    const found = linesOf(await file(admin, session_id)).filter(isWord)
    t.strictSame(
      found.map(({ seq }) => seq),
      words.map(({ seq }) => seq),
    )
  })
})
