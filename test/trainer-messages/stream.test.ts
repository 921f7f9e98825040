import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { openDesk, openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { openPrivateWords, type PlaceParams } from '../helpers/private-words.js'
import { type Member, startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

type Stream = Awaited<ReturnType<typeof openEvents>>

const service = await startService(t)
const { call, db, url } = service
const confidence = await openPrivateWords(service)
const { admin, organization_id, hr, rater, ben, cleo, cast_ids } = confidence
const { ask, answer, list, open, join } = confidence
/** Another process of the service, with its own memory. */
const { url: elsewhere } = await startService(t, { LOG_LEVEL: 'silent' })

const character = await keyOf(cast_ids[0] ?? '')

async function keyOf(user_id: string): Promise<Pick<Member, 'token'>> {
  const body = { name: 'Runtime', expires_at: null }
  const answer = await call('createApiKey', { token: admin.token, params: { user_id }, body })
  return { token: answer.body.api_key }
}

/** A running session in which Ben and Cleo take part. */
async function play() {
  const places = await open('startSession')
  for (const one of [ben, cleo]) await join(one, places.session_id)
  return places
}

const wordsOf = (stream: Stream): Schema<'TrainerMessage'>[] => stream.named('trainer_message')
const seqsOf = (stream: Stream) => wordsOf(stream).map(({ seq }) => seq)
const waitForWords = (stream: Stream, count: number) => until(() => wordsOf(stream).length >= count)
/** Posts a public message, and waits until the streams have it and everything before it. */
async function post(session_id: string, streams: Stream[]): Promise<void> {
  const { body } = await call('getSession', { token: hr.token, params: { session_id } })
  const before = streams.map((stream) => stream.messages().length)
  const content = 'Good morning.'
  const { conversation_id } = body.conversations[0]
  const message = { conversation_id, content, client_message_id: createId() }
  await call('postSessionMessage', { token: ben.token, params: { session_id }, body: message })
  for (const [i, stream] of streams.entries()) await stream.waitForMessages((before[i] ?? 0) + 1)
}

/** Stores private words as another process would. */
async function store({ session_id, assignment_id }: PlaceParams, count: number, length = 10) {
  await db.transaction().execute(async (trx) => {
    const { trainer_seq } = await trx
      .updateTable('simulation_sessions')
      .set((eb) => ({ trainer_seq: eb('trainer_seq', '+', count) }))
      .where('organization_id', '=', organization_id)
      .where('_id', '=', session_id)
      .returning('trainer_seq')
      .executeTakeFirstOrThrow()
    const own = { organization_id, session_id, assignment_id, sender_id: hr.user_id }
    const words = Array.from({ length: count }, (_, i) => ({
      ...own,
      _id: createId(),
      seq: trainer_seq - count + i + 1,
      from_trainer: true,
      content: 'ä'.repeat(length),
      created_at: new Date().toISOString(),
    }))
    await trx.insertInto('trainer_messages').values(words).execute()
  })
}

t.test('streamSessionEvents', async (t) => {
  t.test('sends words to their participant and to trainers, in all processes', async (t) => {
    const { session_id, ofBen, ofCleo } = await play()
    const readers = [ben, hr, admin, cleo, rater, character]
    const streams = await Promise.all(
      readers.flatMap((one) => [url, elsewhere].map((at) => openEvents(at, one, session_id))),
    )
    for (const stream of streams) await until(() => stream.statuses().length > 0)
    const question = (await ask(ben, session_id, 'May I?')).body
    const reply = (await answer(hr, ofBen, 'Yes.')).body
    const other = (await answer(admin, ofCleo, 'Wait.')).body
    await post(session_id, streams)
    const seen = [[question, reply], [question, reply, other], [question, reply, other], [other]]
    for (const [i, stream] of streams.entries()) {
      const expected = seen[Math.floor(i / 2)] ?? []
      await waitForWords(stream, expected.length)
      t.strictSame(wordsOf(stream), expected, `reader ${i}`)
      const events = stream.events.filter(({ event }) => event === 'trainer_message')
      t.ok(events.every(({ id }) => id === null))
      await stream.leave()
    }
  })

  t.test('repeats nothing after a reconnect: the list contains the missed words', async (t) => {
    const { session_id, ofBen } = await play()
    const first = await openEvents(url, ben, session_id)
    await until(() => first.statuses().length > 0)
    const known = (await answer(hr, ofBen, 'One.')).body
    await waitForWords(first, 1)
    await first.leave()
    await answer(hr, ofBen, 'Two.')
    const second = await openEvents(url, ben, session_id)
    await until(() => second.statuses().length > 0)
    const missed = await list(ben, session_id, { after: String(known.seq) })
    t.match(missed.body, [{ content: 'Two.' }])
    await answer(hr, ofBen, 'Three.')
    await waitForWords(second, 1)
    t.match(wordsOf(second), [{ content: 'Three.' }])
    await second.leave()
  })

  t.test('sends words before the start of the session', async (t) => {
    const { session_id, ofBen } = await open()
    await join(ben, session_id)
    const stream = await openEvents(url, ben, session_id)
    await until(() => stream.statuses().length > 0)
    await answer(hr, ofBen, 'We start in a minute.')
    await waitForWords(stream, 1)
    t.strictSame(seqsOf(stream), [1])
    await stream.leave()
  })

  t.test('sends all words in order when there are more than it keeps in memory', async (t) => {
    const { session_id, ofBen, ofCleo } = await play()
    const streams = await Promise.all([ben, hr].map((one) => openEvents(url, one, session_id)))
    for (const stream of streams) await until(() => stream.statuses().length > 0)
    await store(ofBen, 150)
    await store(ofCleo, 30, 5_000)
    await store(ofBen, 1)
    const ofBenAlone = [...Array.from({ length: 150 }, (_, i) => i + 1), 181]
    const all = Array.from({ length: 181 }, (_, i) => i + 1)
    for (const [i, expected] of [ofBenAlone, all].entries()) {
      const stream = streams[i] as Stream
      await waitForWords(stream, expected.length)
      t.strictSame(seqsOf(stream), expected)
    }
    await post(session_id, streams)
    for (const stream of streams) await stream.leave()
  })

  t.test('sends the last words before the end of the session', async (t) => {
    const { session_id, ofBen } = await play()
    const stream = await openEvents(elsewhere, ben, session_id)
    await until(() => stream.statuses().length > 0)
    await answer(hr, ofBen, 'We stop here.')
    await call('endSession', { token: hr.token, params: { session_id } })
    await stream.waitForEnd()
    t.match(wordsOf(stream), [{ content: 'We stop here.' }])
    t.equal(stream.events.at(-1)?.event, 'end')
  })
})

t.test('streamEvents', async (t) => {
  t.test('sends the words of all running sessions, and says how many there are', async (t) => {
    const one = await play()
    await answer(hr, one.ofBen, 'Before.')
    const streams = await Promise.all([url, elsewhere].map((at) => openDesk(at, hr)))
    for (const stream of streams)
      await stream.waitForSession(one.session_id, { trainer_messages: 1 })
    const question = (await ask(ben, one.session_id, 'May I?')).body
    for (const stream of streams) {
      await waitForWords(stream, 1)
      t.strictSame(wordsOf(stream), [question])
    }
    await store(one.ofCleo, 120)
    for (const stream of streams) {
      await stream.waitForSession(one.session_id, { trainer_messages: 122 })
      await stream.leave()
    }
  })
})
