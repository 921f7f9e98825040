import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { endsOfLines, linesForEveryReader } from '../helpers/lines.js'
import { startOn, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { app, db, databaseUrl, url } = service
const { admin, bot, ben, cleo, draft, join, play, post, list, change, addMessages } =
  await openStage(service)

t.test('streamSessionEvents', async (t) => {
  t.test('sends the status, then every message as in the listing', async (t) => {
    const session = await play()
    await post(ben, session, { content: 'Süß:\n\ndata: "x"' })
    await post(admin, session, { as_character_id: bot.user_id })
    for (const reader of [ben, admin, bot]) {
      const stream = await openEvents(url, reader, session._id)
      await stream.waitForMessages(2)
      t.equal(stream.response.status, 200)
      t.match(Object.fromEntries(stream.response.headers), {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'content-disposition': undefined,
      })
      const [first] = stream.events
      const message = stream.events.find(({ event }) => event === 'message')
      t.match(first, { id: null, event: 'status', data: { status: 'running', speed: 1 } })
      t.ok(first?.data.elapsed_ms >= 0 && first?.data.at.endsWith('Z'))
      t.equal(message?.id, '1')
      t.strictSame(stream.messages(), await list(reader, session))
      await stream.leave()
    }
  })

  t.test('sends new messages, and each stop and start of the clock', async (t) => {
    const session = await play()
    const stream = await openEvents(url, ben, session._id)
    await post(cleo, session)
    await stream.waitForMessages(1)
    await change('pauseSession', admin, session)
    await until(() => stream.statuses().length === 2)
    await change('resumeSession', admin, session)
    await until(() => stream.statuses().length === 3)
    t.strictSame(stream.statuses(), ['running', 'paused', 'running'])
    await post(bot, session)
    await stream.waitForMessages(2)
    t.strictSame(stream.messages(), await list(ben, session))
    await stream.leave()
  })

  t.test('ends after the session has ended and everything is sent', async (t) => {
    const session = await play()
    const early = await openEvents(url, ben, session._id)
    await post(ben, session)
    await early.waitForMessages(1)
    await addMessages(session, 2, 'Goodbye', { status: 'completed', ended_at: new Date() })
    await early.waitForEnd()
    t.strictSame(early.seqs(), [1, 2, 3])
    t.strictSame(early.statuses(), ['running', 'completed'])
    t.match(early.events.slice(-2), [
      { event: 'status', data: { status: 'completed' } },
      { event: 'end', data: { reason: 'session_ended' } },
    ])
    const late = await openEvents(url, ben, session._id)
    await late.waitForEnd()
    t.strictSame([late.statuses(), late.seqs()], [['completed'], [1, 2, 3]])
    for (const [id, status, seqs] of [
      ['3', 204, []],
      ['2', 200, [3]],
      ['999', 200, [1, 2, 3]],
      ['9'.repeat(20), 200, [1, 2, 3]],
    ] as const) {
      const back = await openEvents(url, ben, session._id, { 'last-event-id': id })
      await back.waitForEnd()
      t.equal(
        back.response.status,
        status,
        'only a reader who has everything is asked not to reconnect',
      )
      t.strictSame(back.seqs(), seqs, `${id} is followed by what the session has after it`)
    }
    await until(() => app.sessionStreams.size === 0)
  })

  t.test('waits for the start of a session, or ends when it is cancelled', async (t) => {
    const { _id } = await draft()
    await join(_id, ben)
    const streams = [await openEvents(url, ben, _id), await openEvents(url, bot, _id)]
    for (const { events } of streams) {
      await until(() => events.length > 0)
      t.match(events, [{ data: { status: 'draft', elapsed_ms: null } }])
    }
    await change('startSession', admin, { _id })
    for (const { statuses } of streams) await until(() => statuses().includes('running'))
    await change('endSession', admin, { _id })
    for (const stream of streams) await stream.waitForEnd()
    const cancelled = await draft()
    const waiting = await openEvents(url, admin, cancelled._id)
    await change('endSession', admin, cancelled)
    await waiting.waitForEnd()
    t.strictSame(waiting.statuses(), ['draft', 'cancelled'])
    t.match(waiting.events.at(-1), { event: 'end', id: '0' })
    const back = await openEvents(url, admin, cancelled._id, { 'last-event-id': '0' })
    t.equal(back.response.status, 204, 'a session without messages also comes to its end')
    for (const id of ['1', '9'.repeat(20), 'x', '-0', '0.0']) {
      const stray = await openEvents(url, admin, cancelled._id, { 'last-event-id': id })
      await stray.waitForEnd()
      t.strictSame(stray.statuses(), ['cancelled'], `${id} is no id of the session`)
    }
  })

  t.test('writes each field in one line for every reader', async (t) => {
    const session = await play()
    await addMessages(session, 1, endsOfLines, { status: 'completed', ended_at: new Date() })
    const headers = { authorization: `Bearer ${ben.token}` }
    const address = `${url}/api/v1/simulation/sessions/${session._id}/events`
    const lines = linesForEveryReader(await (await fetch(address, { headers })).text())
    for (const line of lines) t.match(line, /^$|^(id|event|data|retry): /)
    const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6))
    t.ok(data.some((one) => JSON.parse(one).content === endsOfLines))
  })

  t.test('continues after the last id that the reader has', async (t) => {
    const session = await play()
    for (let i = 0; i < 4; i++) await post(ben, session)
    for (const [id, expected] of [
      ['2', [3, 4]],
      ['', [1, 2, 3, 4]],
      ['x', [1, 2, 3, 4]],
      ['-1', [1, 2, 3, 4]],
      ['5', [1, 2, 3, 4]],
      ['999', [1, 2, 3, 4]],
    ] as const) {
      const stream = await openEvents(url, ben, session._id, { 'last-event-id': id })
      await stream.waitForMessages(expected.length)
      t.strictSame(stream.seqs(), expected, id)
      await stream.leave()
    }
    const [stray, upToDate] = await Promise.all(
      ['999', '4'].map((id) => openEvents(url, ben, session._id, { 'last-event-id': id })),
    )
    await post(ben, session)
    await stray?.waitForMessages(5)
    t.strictSame(stray?.seqs(), [1, 2, 3, 4, 5], 'a stray id hides no later message')
    await upToDate?.waitForMessages(1)
    t.strictSame(upToDate?.seqs(), [5])
    await stray?.leave()
    await upToDate?.leave()
  })

  t.test('sends everything exactly once to a reader who is often cut off', async (t) => {
    const session = await play()
    const writers = [ben, cleo, bot].map(async (writer) => {
      for (let i = 0; i < 60; i++) await post(writer, session)
    })
    const got: number[] = []
    while (got.length < 180) {
      const last = String(got.at(-1) ?? 0)
      const stream = await openEvents(url, ben, session._id, { 'last-event-id': last })
      await stream.waitForMessages(Math.min(25, 180 - got.length))
      await stream.leave()
      got.push(...stream.seqs())
    }
    await Promise.all(writers)
    t.strictSame(
      got,
      Array.from({ length: 180 }, (_, i) => i + 1),
    )
  })

  t.test('sends late readers the same, page by page', async (t) => {
    const session = await play()
    const content = 'x'.repeat(2_000)
    const early = await openEvents(url, admin, session._id)
    for (let i = 0; i < 230; i++) await post(bot, session, { content })
    const late = await openEvents(url, ben, session._id)
    await Promise.all([early.waitForMessages(230), late.waitForMessages(230)])
    const all = Array.from({ length: 230 }, (_, i) => i + 1)
    t.strictSame(early.seqs(), all)
    t.strictSame(late.seqs(), all)
    await Promise.all([early.leave(), late.leave()])
  })

  t.test('reaches readers of another process', async (t) => {
    const other = await startOn({ db, databaseUrl }, t)
    const session = await play()
    const there = await openEvents(other.url, cleo, session._id)
    const here = await openEvents(url, cleo, session._id)
    for (let i = 0; i < 5; i++) {
      await post(ben, session)
      const path = `${other.url}/api/v1/simulation/sessions/${session._id}/messages`
      const body = { conversation_id: session.home, content: 'There', client_message_id: `o-${i}` }
      await fetch(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${cleo.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    }
    await Promise.all([there.waitForMessages(10), here.waitForMessages(10)])
    t.strictSame(there.messages(), await list(cleo, session))
    t.strictSame(here.messages(), there.messages())
    await here.leave()
    await other.app.close()
    await there.waitForEnd()
    t.equal(other.app.sessionStreams.size, 0, 'closing the service ends open streams')
  })
})
