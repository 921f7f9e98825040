import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

const { app, registerAdmin, url } = await startService(t)
const { port } = new URL(url)
const { token } = await registerAdmin()

/** The answers to requests that are sent together on one connection. */
async function answersTo(count: number, header = ''): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const request = (i: number, more = '') =>
    `GET /api/v1/auth/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
    `X-Request-Id: in-a-row-${i}\r\n${header}${more}\r\n`
  const all = Array.from({ length: count - 1 }, (_, i) => request(i))
  socket.write(all.join('') + request(count - 1, 'Connection: close\r\n'))
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (piece) => {
    text += piece
  })
  await new Promise((resolve) => socket.on('close', resolve))
  return text
}

const countOf = (answers: string) => answers.match(/HTTP\/1.1 200/g)?.length ?? 0

t.test('Pipelined requests are answered in their order', async (t) => {
  const ids = (await answersTo(200)).match(/(?<=in-a-row-)\d+/g) ?? []
  t.strictSame(
    ids.map(Number),
    Array.from({ length: 200 }, (_, i) => i),
  )
})

t.test('A connection is closed when too many requests with long headers wait on it', async (t) => {
  const long = `X-Long: ${'x'.repeat(10_000)}\r\n`
  t.equal(countOf(await answersTo(6, long)), 6)
  t.ok(countOf(await answersTo(100, long)) < 50)
})

t.test('A connection is closed when too many requests wait on it', async (t) => {
  t.ok(countOf(await answersTo(5_000)) < 1_000)
})

t.test('The busiest connections are closed when too many requests wait in total', async (t) => {
  const served = new Set<Socket>()
  let opened = 0
  app.server.on('connection', (socket) => {
    opened++
    served.add(socket.once('close', () => served.delete(socket)))
  })
  const get = (path: string, times: number) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times)
  /** A connection on which requests wait behind unread answers. */
  const openUnread = (answers: number, waiting: number) => {
    const socket = connect(Number(port), '127.0.0.1').pause()
    socket.on('error', () => {})
    socket.write(get('/openapi.json', answers) + get('/health', waiting))
    return socket
  }
  const modest = openUnread(10, 0)
  const greedy = Array.from({ length: 30 }, () => openUnread(40, 200))
  await until(() => opened === 31 && served.size < 25)
  for (const socket of greedy) socket.destroy()
  await until(() => served.size <= 1)
  t.equal(served.size, 1, 'only the modest connection stays open')
  modest.destroy()
})
