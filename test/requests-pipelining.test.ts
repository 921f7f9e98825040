import { once } from 'node:events'
import { connect } from 'node:net'
import { t } from './helpers/file.js'
import { startService } from './helpers/service.js'

const { registerAdmin, url } = await startService(t)
const { port } = new URL(url)
const { token } = await registerAdmin()

/** What comes back for requests that are sent all at once. */
async function answersTo(count: number): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const request = (i: number, more = '') =>
    `GET /api/v1/auth/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
    `X-Request-Id: in-a-row-${i}\r\n${more}\r\n`
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

t.test('requests that are sent in a row are answered in that order', async (t) => {
  const ids = (await answersTo(200)).match(/(?<=in-a-row-)\d+/g) ?? []
  t.strictSame(
    ids.map(Number),
    Array.from({ length: 200 }, (_, i) => i),
  )
})

t.test('a connection on which too many requests wait is closed', async (t) => {
  const answers = (await answersTo(5_000)).match(/HTTP\/1.1 200/g) ?? []
  t.ok(answers.length < 1_000)
})
