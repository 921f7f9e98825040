import { createId } from '../../src/formats/identifiers.js'
import { SessionStreams } from '../../src/session-messages/stream/hub.js'
import { selectChanges } from '../../src/session-messages/stream/open-sessions/queries.js'
import { OpenStreams } from '../../src/session-messages/stream/open-streams.js'
import { History } from '../../src/session-messages/stream/replay/history.js'
import { Turns } from '../../src/turns/turns.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { newReader, newSessionRow } from '../helpers/stream-readers.js'
import { until } from '../helpers/until.js'

const { app, ...service } = await startService(t)
const { db } = service
const { organization_id, play, addMessages } = await openStage(service)

const longAnswers = new Turns({ capacity: 2 })
const dbOf = () => db

const sessionRow = (_id: string, of = organization_id) => newSessionRow(of, _id)
const reader = (of = organization_id) => newReader(of)

t.test('New messages of a session', async (t) => {
  t.test('are read up to 16 KiB: the newest ones, and at least one', async (t) => {
    const session = await play()
    const { _id } = session
    const seqs = async (head: number) => {
      const news = await selectChanges(db, [{ ...sessionRow(_id), head }])
      return news.get(_id)?.map(({ seq }) => seq)
    }
    await addMessages(session, 60, 'x'.repeat(300))
    t.strictSame(await seqs(50), [51, 52, 53, 54, 55, 56, 57, 58, 59, 60])
    t.strictSame(
      await seqs(0),
      Array.from({ length: 16 }, (_, i) => 45 + i),
    )
    await addMessages(session, 40, '€'.repeat(10_000))
    t.strictSame(await seqs(0), [100])
  })

  t.test('are read for 200 sessions at a time', async (t) => {
    const asked: string[][] = []
    const counted = db.withoutPlugins()
    const execute = counted.executeQuery.bind(counted)
    counted.executeQuery = (query, ...options) => {
      // Only the query for new messages adds up their bytes.
      if ('sql' in query && query.sql.includes('all_bytes')) {
        const [, ids] = query.parameters
        if (Array.isArray(ids)) asked.push(ids)
      }
      return execute(query, ...options)
    }
    const streams = new SessionStreams({ db: counted, dbOf, longAnswers, log: app.log })
    t.teardown(() => streams.close())
    const ids = Array.from({ length: 450 }, () => createId())
    for (const id of ids) streams.open(sessionRow(id), reader(), 0)
    const sessions = () => new Set(asked.flat())
    await until(() => sessions().size === ids.length)
    // The first session is alone in its query. The beat may ask for it again with the others.
    t.equal(Math.max(...asked.map(({ length }) => length)), 200)
  })

  t.test('are sent once to a reader who left and came back during a query', async (t) => {
    const session = await play()
    await addMessages(session, 2, 'Hello')
    const streams = new SessionStreams({ db, dbOf, longAnswers, log: app.log })
    t.teardown(() => streams.close())
    // While the first query runs, the session is closed and opened again.
    streams.open(sessionRow(createId()), reader(), 0)
    const left = streams.open(sessionRow(session._id), reader(), 0)
    left.end()
    const back = streams.open(sessionRow(session._id), reader(), 0)
    let text = ''
    for await (const piece of back.events()) {
      text += piece
      if (text.includes('id: 2\n')) break
    }
    t.strictSame(text.match(/^id: \d+$/gm), ['id: 1', 'id: 2'])
  })

  t.test('are sent in several turns of the event loop', async (t) => {
    const sessions = await Promise.all(Array.from({ length: 10 }, () => play()))
    for (const session of sessions) await addMessages(session, 1, 'Hello')
    const streams = new SessionStreams({ db, dbOf, longAnswers, log: app.log })
    t.teardown(() => streams.close())
    let turn = 0
    let isCounting = true
    const count = () => {
      turn++
      if (isCounting) setImmediate(count)
    }
    count()
    const receivedTurns: number[] = []
    for (const { _id } of sessions) readAll(streams.open(sessionRow(_id), reader(), 0).events())
    async function readAll(events: AsyncIterable<string | Buffer>): Promise<void> {
      for await (const event of events)
        if (`${event}`.includes('event: message')) receivedTurns.push(turn)
    }
    for (const { _id } of sessions) streams.wake(_id)
    await until(() => receivedTurns.length === sessions.length)
    isCounting = false
    // The first message starts the read before the others are stored.
    t.ok(new Set(receivedTurns.slice(1)).size > 1, receivedTurns.join())
  })
})

t.test('Old messages are sent while readers of two organizations do not read', async (t) => {
  const history = new History({ dbOf, longAnswers })
  const readers = new OpenStreams(history)
  async function open(count: number, content: string) {
    const { organization_id, play, addMessages } = await openStage(service)
    const session = await play()
    await addMessages(session, count, content)
    const place = { ...sessionRow(session._id, organization_id), last_seq: count }
    return () => readers.add(place, reader(organization_id), 0).events()
  }
  for (const streams of [900, 300]) {
    const openStream = await open(1, 'Hello')
    for (let i = 0; i < streams; i++) {
      const events = openStream()
      // It reads the status and a page, and then stops.
      events.next().then(() => events.next())
    }
  }
  await until(() => history.held >= 960)
  // Each of these messages is a page.
  const openThird = await open(6, 'x'.repeat(30_000))
  const lengths: number[] = []
  for (const events of [openThird(), openThird()]) readAll(events)
  async function readAll(events: AsyncIterable<string | Buffer>): Promise<void> {
    let text = ''
    for await (const piece of events) {
      text += piece
      if (text.includes('id: 6\n')) break
    }
    lengths.push(text.length)
  }
  await until(() => lengths.length === 2)
  t.ok(Math.min(...lengths) > 180_000, lengths.join())
  t.equal(history.held, 960, 'the other two organizations read nothing meanwhile')
})
