import { once } from 'node:events'
import { connect } from 'node:net'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const environment = { RATE_LIMIT: 'on', LOG_LEVEL: 'error' }
const { log, registerAdmin, url } = await startService(t, environment)
const { port } = new URL(url)
const { token } = await registerAdmin()

/** The answers to requests that are sent together on one connection. */
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

t.test('Sixteen requests on one connection are answered in their order', async (t) => {
  const ids = (await answersTo(16)).match(/(?<=in-a-row-)\d+/g) ?? []
  t.strictSame(
    ids.map(Number),
    Array.from({ length: 16 }, (_, i) => i),
  )
})

t.test('A connection with more unanswered requests is closed', async (t) => {
  t.notMatch(await answersTo(17), 'HTTP/1.1 200')
  t.match(await answersTo(1), 'HTTP/1.1 200')
  t.strictSame(log, [], 'its requests are no errors of the service')
})

t.test('Requests that are answered do not count', async (t) => {
  const socket = connect(Number(port), '127.0.0.1')
  const ask = async () => {
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    const [answer] = await once(socket, 'data')
    return String(answer)
  }
  for (let i = 0; i < 40; i++) t.match(await ask(), 'HTTP/1.1 200')
  socket.destroy()
})
