import { RecentMessages } from '../../src/session-messages/stream/open-sessions/recent.js'
import { History } from '../../src/session-messages/stream/replay/history.js'
import { Turns } from '../../src/turns/turns.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { db } = service
const { organization_id, play, addMessages } = await openStage(service)

const openHistory = () =>
  new History({ dbOf: () => db, longAnswers: new Turns({ capacity: 2, reserve: 1 }) })

t.test('History', async (t) => {
  t.test('comes in pages of at most 32 KiB, and longer messages alone', async (t) => {
    const session = await play()
    // 200 bytes, 20 KiB, and 60 KB as JSON.
    await addMessages(session, 150, 'x'.repeat(200))
    await addMessages(session, 3, 'x'.repeat(20_000 / 2))
    await addMessages(session, 2, '\u0001'.repeat(10_000))
    const history = openHistory()
    const key = { organization_id, _id: session._id }
    const sizes: number[] = []
    const counts: number[] = []
    let after = 0
    for (;;) {
      const page = await history.read({ session: key, seesAll: true, after })
      if (!page) break
      sizes.push(page.bytes.length)
      counts.push(page.last - after)
      t.equal(page.bytes.toString().split('\n\n').length - 1, page.last - after)
      after = page.last
    }
    t.equal(after, 155)
    t.strictSame(counts.slice(-2), [1, 1])
    t.ok(Math.max(...sizes.slice(0, -2)) <= 32_768, sizes.join())
    t.ok(Math.max(...sizes) <= 65_536, sizes.join())
    t.ok(counts.length < 12, counts.join())
  })

  t.test('returns the same bytes to readers at the same position', async (t) => {
    const session = await play()
    await addMessages(session, 5, 'Hello')
    const history = openHistory()
    const place = { session: { organization_id, _id: session._id }, seesAll: true, after: 2 }
    const [first, second] = await Promise.all([history.read(place), history.read(place)])
    t.equal(first?.bytes, second?.bytes)
    t.equal((await history.read(place))?.bytes, first?.bytes)
    const reduced = await history.read({ ...place, seesAll: false })
    t.not(reduced?.bytes, first?.bytes)
    t.notMatch(reduced?.bytes.toString(), '"kind":"')
  })

  t.test('limits the pages that one organization holds, but not those of others', async (t) => {
    const history = openHistory()
    const { signal } = new AbortController()
    const ends = await Promise.all(
      Array.from({ length: 768 }, () => history.takeTurn('one', signal)),
    )
    const leaving = new AbortController()
    const left = history.takeTurn('one', leaving.signal)
    const waiting = history.takeTurn('one', signal)
    const other = await history.takeTurn('other', signal)
    t.equal(history.held, 769)
    leaving.abort()
    await t.rejects(left)
    ends.pop()?.()
    ends.push(await waiting)
    for (const end of [...ends, other]) end()
    await until(() => history.held === 0)
  })

  t.test('leaves a page to a third organization when two hold all of their pages', async (t) => {
    const history = openHistory()
    const ends: (() => void)[] = []
    const begun: string[] = []
    async function take(organization: string): Promise<void> {
      ends.push(await history.takeTurn(organization, new AbortController().signal))
      begun.push(organization)
    }
    // In the next turn of the event loop, every allowed read has begun.
    const settled = () => new Promise((resolve) => setImmediate(resolve))
    for (const name of ['one', 'two']) for (let i = 0; i < 1_024; i++) take(name)
    await settled()
    t.equal(history.held, 960)
    take('third')
    take('third')
    await settled()
    t.strictSame(begun.slice(960), ['third'])
    ends.pop()?.()
    await settled()
    t.strictSame(
      begun.slice(960),
      ['third', 'third'],
      'the second begins after the first has ended',
    )
    t.equal(history.held, 961)
    while (history.held > 0) {
      for (const end of ends.splice(0)) end()
      await settled()
    }
  })
})

t.test('RecentMessages', async (t) => {
  t.test('are the same bytes for all readers at the same position', async (t) => {
    const session = await play()
    await addMessages(session, 4, 'Hello')
    const rows = await db
      .selectFrom('session_messages')
      .selectAll()
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session._id)
      .orderBy('seq')
      .execute()
    const recent = new RecentMessages()
    recent.add(rows.slice(1))
    t.equal(recent.after(0, true), null, 'the first is not kept')
    t.equal(recent.after(4, true), null, 'there is no fifth')
    for (const after of [1, 2, 3]) {
      const page = recent.after(after, false)
      t.equal(page?.last, 4)
      t.equal(page?.bytes.toString().split('\n\n').length, 5 - after)
      t.equal(recent.after(after, false)?.bytes, page?.bytes)
      t.not(recent.after(after, true)?.bytes, page?.bytes)
    }
  })
})
