import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { openPrivateWords, type PlaceParams } from '../helpers/private-words.js'
import { startService } from '../helpers/service.js'

type Message = Schema<'TrainerMessage'>

const service = await startService(t)
const { db, addMember } = service
const { organization_id, hr, rater, ben, cleo, ask, answer, list, contentsOf, open } =
  await openPrivateWords(service)

t.test('listTrainerMessages', async (t) => {
  t.test('shows nothing to raters and strangers', async (t) => {
    const { session_id } = await open()
    await ask(ben, session_id, 'May I?')
    t.match(await list(rater, session_id), { status: 403, body: { code: 'insufficient_role' } })
    const outsider = await addMember(organization_id, 'employee')
    t.equal((await list(outsider, session_id)).status, 404)
    t.strictSame(await contentsOf(cleo, session_id), [])
  })

  t.test('returns private words page by page, and after a seq', async (t) => {
    const { session_id, ofBen } = await open()
    for (const word of ['One.', 'Two.', 'Three.']) {
      await ask(ben, session_id, word)
      await ask(cleo, session_id, `Cleo: ${word}`)
    }
    await answer(hr, ofBen, 'Four.')
    t.strictSame(await contentsOf(ben, session_id, { after: '1' }), ['Two.', 'Three.', 'Four.'])
    const { body, headers } = await list(ben, session_id, { limit: '2' })
    t.strictSame(
      body.map(({ seq }: Message) => seq),
      [1, 3],
    )
    const next = headers.get('link')?.match(/cursor=([^&>]+)/)?.[1] ?? ''
    const rest = await list(ben, session_id, { limit: '2', cursor: next })
    t.strictSame(
      rest.body.map(({ seq }: Message) => seq),
      [5, 7],
    )
    t.equal(rest.headers.get('link'), null)
  })

  t.test('ends a page of long words at 256 KiB', async (t) => {
    const { session_id, ofBen } = await open()
    const rows = 130
    await insertWords(ofBen, rows, 'a'.repeat(10_000))
    const found: number[] = []
    for (let after = 0; found.length < rows; ) {
      const { body } = await list(hr, session_id, { limit: '500', after: String(after) })
      t.ok(JSON.stringify(body).length < 300_000)
      found.push(...body.map(({ seq }: Message) => seq))
      after = found.at(-1) ?? 0
    }
    t.strictSame(
      found,
      Array.from({ length: rows }, (_, i) => i + 1),
    )
  })
})

/** Stores private words of Ben. */
async function insertWords(place: PlaceParams, rows: number, content: string) {
  const words = Array.from({ length: rows }, (_, i) => {
    const sender = { sender_id: ben.user_id, from_trainer: false }
    const created_at = new Date().toISOString()
    return {
      organization_id,
      ...place,
      ...sender,
      seq: i + 1,
      _id: createId(),
      content,
      created_at,
    }
  })
  await db.insertInto('trainer_messages').values(words).execute()
}

t.test('askTrainer', async (t) => {
  t.test('returns 409 beyond the limits of the organization', async (t) => {
    // The limits of a new organization are not cached yet.
    const { organization_id, ben, cleo, hr, ask, answer, open } = await openPrivateWords(service)
    await setLimits(db, organization_id, {
      trainer_messages: 1,
      participant_messages_per_minute: 1,
    })
    const { session_id, ofCleo } = await open()
    const refused = { code: 'quota_exceeded' }
    await ask(ben, session_id, 'One.')
    const ofOne = { ...refused, quota: 'trainer_messages', used: 1, allowed: 1 }
    t.match(await ask(ben, session_id, 'Two.'), { status: 409, body: ofOne })
    t.equal((await ask(cleo, session_id, 'One.')).status, 201, 'each participant has as many')
    for (const content of ['One.', 'Two.']) {
      t.equal((await answer(hr, ofCleo, content)).status, 201, 'answers do not count')
    }
    t.equal((await answer(hr, ofCleo, 'Three.')).status, 201, 'also many in a minute')
  })
})
