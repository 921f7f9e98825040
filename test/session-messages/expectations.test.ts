import { sql } from 'kysely'
import { Expectations } from '../../src/session-messages/stream/open-sessions/expectations.js'
import { openDesk, openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { type Asked, openQuestions } from '../helpers/questions.js'
import { type Member, startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { url } = service
const { admin, ben, cleo, bot, ask, change, expectations, messageThat, pass, reply, waitForTexts } =
  await openQuestions(service)

type Play = Awaited<ReturnType<typeof ask>>
type Stream = Awaited<ReturnType<typeof openEvents>>

const unanswered = { answered_by: null, answered_message_id: null, answered_at: null }

/** What a stream sends of an expectation of a list. */
const eventOf = (play: Play, { message_id, status, due_at, ...answer }: Asked) => {
  const { answered_by, answered_message_id, answered_at } = answer
  const who = { answered_by, answered_message_id, answered_at }
  return { session_id: play._id, message_id, status, due_at, ...who }
}

/** Waits until the last event of an expectation matches, and returns it. */
async function waitFor(stream: Stream, message_id: string, like: object) {
  const last = () =>
    stream.named('expectation').findLast((event) => event.message_id === message_id) ?? {}
  await until(() => Object.entries(like).every(([name, value]) => last()[name] === value))
  return last()
}

/** Ends a session as another process does: this one is not told. */
const endElsewhere = ({ _id }: Play) =>
  service.db
    .updateTable('simulation_sessions')
    .set({ status: 'completed', ended_at: sql`now()`, next_due_at: null })
    .where('_id', '=', _id)
    .execute()

const readersOf = async (play: Play, readers: Member[]) =>
  Promise.all(readers.map((reader) => openEvents(url, reader, play._id)))

t.test('streamSessionEvents', async (t) => {
  t.test('says what is open and until when, after the messages', async (t) => {
    const play = await ask()
    const open = (await expectations(ben, play)).map((one) => eventOf(play, one))
    t.equal(open.length, 2)
    for (const stream of await readersOf(play, [ben, admin, bot])) {
      await until(() => stream.named('expectation').length === 2)
      t.strictSame(stream.named('expectation'), open)
      const names = stream.events.map(({ event }) => event)
      t.ok(names.indexOf('expectation') > names.lastIndexOf('message'))
      t.ok(stream.events.every(({ event, id }) => event !== 'expectation' || id === null))
      await stream.leave()
    }
  })

  t.test('says until when a new message can be answered, after that message', async (t) => {
    const play = await ask()
    const stream = await openEvents(url, ben, play._id)
    await pass(play, 1)
    await waitForTexts(play, 3)
    const { _id } = await messageThat(play, 'When?')
    const asked = (await expectations(ben, play)).find(({ message_id }) => message_id === _id)
    await waitFor(stream, _id, { status: 'open', due_at: asked?.due_at })
    const placeOf = (like: (event: (typeof stream.events)[number]) => boolean) =>
      stream.events.findIndex(like)
    const message = placeOf(({ event, data }) => event === 'message' && data._id === _id)
    const expected = placeOf(
      ({ event, data }) => event === 'expectation' && data.message_id === _id,
    )
    t.ok(message < expected)
    await stream.leave()
  })

  t.test(
    'takes the time away when the clock stops, and gives another when it goes on',
    async (t) => {
      const play = await ask()
      const stream = await openEvents(url, ben, play._id)
      const { _id } = await messageThat(play, 'How do we repair it?')
      const { due_at: first } = await waitFor(stream, _id, { status: 'open' })
      await change('pauseSession', admin, play)
      await waitFor(stream, _id, { status: 'open', due_at: null })
      await change('resumeSession', admin, play)
      const [asked] = await expectations(ben, play)
      await waitFor(stream, _id, { status: 'open', due_at: asked?.due_at })
      t.ok(Date.parse(asked?.due_at ?? '') > Date.parse(first))
      await stream.leave()
    },
  )

  t.test('says that an expectation was answered, and nothing more of it', async (t) => {
    const play = await ask()
    const stream = await openEvents(url, cleo, play._id)
    const { _id } = await messageThat(play, 'How do we repair it?')
    await waitFor(stream, _id, { status: 'open' })
    await reply(ben, play, 'How do we repair it?')
    const [answered] = await expectations(ben, play, { status: 'answered' })
    t.strictSame(
      await waitFor(stream, _id, { status: 'answered' }),
      answered && eventOf(play, answered),
    )
    await change('pauseSession', admin, play)
    await until(() => stream.statuses().includes('paused'))
    t.match(stream.named('expectation').at(-1), { status: 'answered' })
    await stream.leave()
  })

  t.test('says that an expectation lapsed, also without any other change', async (t) => {
    const play = await ask({ speed: 60 })
    const readers = await readersOf(play, [ben, admin])
    const { _id } = await messageThat(play, 'How do we repair it?')
    for (const stream of readers) {
      const event = await waitFor(stream, _id, { status: 'lapsed' })
      t.match(event, unanswered)
      t.ok(Date.parse(event.due_at) <= Date.now())
      await stream.leave()
    }
    const again = await openEvents(url, ben, play._id)
    await until(() => again.named('expectation').length > 0)
    t.notOk(again.named('expectation').some(({ message_id }) => message_id === _id))
    await again.leave()
  })

  t.test('says at the end of the session what has lapsed', async (t) => {
    const play = await ask()
    const stream = await openEvents(url, ben, play._id)
    await until(() => stream.named('expectation').length === 2)
    await change('endSession', admin, play)
    await stream.waitForEnd()
    const lapsed = (await expectations(ben, play)).map((one) => eventOf(play, one))
    t.match(lapsed, [
      { status: 'lapsed', due_at: null },
      { status: 'lapsed', due_at: null },
    ])
    t.strictSame(stream.named('expectation').slice(2), lapsed)
    t.match(stream.events.slice(-2), [{ data: { status: 'completed' } }, { event: 'end' }])
  })

  t.test('says it also when another reader brings the news of the end', async (t) => {
    const play = await ask()
    const stream = await openEvents(url, ben, play._id)
    await until(() => stream.named('expectation').length === 2)
    await endElsewhere(play)
    const late = await openEvents(url, cleo, play._id)
    await Promise.all([stream, late].map((one) => one.waitForEnd()))
    t.match(stream.named('expectation').slice(2), [{ status: 'lapsed' }, { status: 'lapsed' }])
    const after = await openEvents(url, ben, play._id)
    await after.waitForEnd()
    t.notOk(after.events.some(({ event }) => event === 'expectation' || event === 'participant'))
  })

  t.test('reads them again if something changes while they are read', async (t) => {
    const known = new Expectations()
    const { wanted } = known
    known.expire()
    known.merge([], { wanted, head: 0 })
    t.ok(known.isStale)
    known.merge([], { wanted: known.wanted, head: 0 })
    t.notOk(known.isStale)
  })
})

t.test('streamEvents', async (t) => {
  t.test('counts what is open in each session, and says what opens and lapses', async (t) => {
    const play = await ask()
    const stream = await openDesk(url, admin)
    await stream.waitForSession(play._id, { status: 'running', open_expectations: 2 })
    t.equal(stream.named('expectation').length, 0, 'what was open before is no news')
    await pass(play, 1)
    await waitForTexts(play, 3)
    const { _id } = await messageThat(play, 'When?')
    await waitFor(stream, _id, { session_id: play._id, status: 'open' })
    await reply(ben, play, 'When?')
    await waitFor(stream, _id, { status: 'answered', answered_by: ben.user_id })
    const { _id: first } = await messageThat(play, 'How do we repair it?')
    await pass(play, 4.5)
    const lapsed = await waitFor(stream, first, { session_id: play._id, status: 'lapsed' })
    t.match(lapsed, unanswered)
    await change('pauseSession', admin, play)
    await stream.waitForSession(play._id, { status: 'paused', open_expectations: 1 })
    await change('endSession', admin, play)
    await stream.waitForSession(play._id, { status: 'completed', open_expectations: 0 })
    await stream.leave()
  })

  t.test('says what has lapsed also when another reader brings the news of the end', async (t) => {
    const play = await ask()
    const stream = await openDesk(url, admin)
    await stream.waitForSession(play._id, { open_expectations: 2 })
    await endElsewhere(play)
    const late = await openEvents(url, cleo, play._id)
    await late.waitForEnd()
    await stream.waitForSession(play._id, { status: 'completed', open_expectations: 0 })
    t.match(stream.named('expectation'), [{ status: 'lapsed' }, { status: 'lapsed' }])
    await stream.leave()
  })
})
