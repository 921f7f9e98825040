import { connect, type Socket } from 'node:net'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import type { Member } from '../helpers/service.js'
import { startService } from '../helpers/service.js'
import { openStage, type Play } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { app, url } = service
const { ben, bot, cleo, play, post, addMessages } = await openStage(service)

/** Each message is about 30 KiB as an event. Together they are more than a connection buffers. */
const messages = 400
const content = '€'.repeat(10_000)
const all = Array.from({ length: messages }, (_, i) => i + 1)

/** A page or one long message, plus what a connection buffers. */
const bytesOfStream = 65_536 + 16_384

/** The service's ends of the connections. */
const sockets = new Set<Socket>()
app.server.on('connection', (socket) => {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
})
const unsent = () => [...sockets].reduce((sum, { writableLength }) => sum + writableLength, 0)

/** Opens a stream without reading from it. */
function openUnread({ token }: Member, { _id }: Play): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  const path = `/api/v1/simulation/sessions/${_id}/events`
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return socket
}

t.test('streamSessionEvents', async (t) => {
  t.test('holds one page for a reader who does not read, and then disconnects them', async (t) => {
    const session = await play()
    await addMessages(session, messages, content)
    const readers = Array.from({ length: 20 }, () => openUnread(ben, session))
    await until(() => app.sessionStreams.size === readers.length)
    let mostUnsent = 0
    let mostPages = 0
    await until(() => {
      mostUnsent = Math.max(mostUnsent, unsent())
      mostPages = Math.max(mostPages, app.sessionStreams.pagesHeld)
      return app.sessionStreams.size === 0
    })
    t.ok(mostUnsent > 0, 'something was buffered for them')
    t.ok(mostUnsent <= readers.length * bytesOfStream, `at most ${mostUnsent} bytes were buffered`)
    t.equal(mostPages, readers.length)
    for (const socket of readers) socket.destroy()
    await until(() => app.sessionStreams.pagesHeld === 0)
  })

  t.test('holds no separate copy of new messages for a reader who does not read', async (t) => {
    const session = await play()
    const socket = openUnread(ben, session)
    await until(() => app.sessionStreams.size === 1)
    const reader = await openEvents(url, cleo, session._id)
    for (let i = 0; i < 20; i++) await post(bot, session, { content })
    await reader.waitForMessages(20)
    t.equal(app.sessionStreams.pagesHeld, 0)
    t.ok(unsent() <= bytesOfStream)
    await reader.leave()
    socket.destroy()
    await until(() => app.sessionStreams.size === 0)
  })

  t.test('sends everything to a reader who pauses', async (t) => {
    const session = await play()
    await addMessages(session, messages, content)
    const stuck = until(() => [...sockets].some(({ writableLength }) => writableLength > 16_384))
    const stream = await openEvents(url, ben, session._id, {}, stuck)
    await stream.waitForMessages(messages)
    t.strictSame(stream.seqs(), all)
    await stream.leave()
  })

  t.test('sends everything to a reader who was cut off and reconnects', async (t) => {
    const session = await play()
    await addMessages(session, messages, content)
    let isOpen = false
    const cutOff = until(() => isOpen && app.sessionStreams.size === 0)
    const stream = await openEvents(url, ben, session._id, {}, cutOff)
    isOpen = true
    await stream.waitForEnd()
    const seqs = stream.seqs()
    t.ok(seqs.length < messages, `the reader got ${seqs.length}`)
    const last = String(seqs.at(-1) ?? 0)
    const again = await openEvents(url, ben, session._id, { 'last-event-id': last })
    await again.waitForMessages(messages - seqs.length)
    t.strictSame([...seqs, ...again.seqs()], all)
    await again.leave()
  })
})
