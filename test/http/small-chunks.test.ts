import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { app, registerAdmin, url } = await startService(t)
const { token, organization_id } = await registerAdmin()
const path = `/api/v1/organizations/${organization_id}/branding`

/** The number of pieces that the reader of a body receives. */
let pieces = 0
app.server.prependListener('request', (request: IncomingMessage) => {
  const push = request.push.bind(request)
  request.push = (piece) => {
    if (piece !== null) pieces++
    return push(piece)
  }
})

/** The answer to a body in which each character is a chunk. */
async function answerTo(body: string): Promise<{ status: number; text: string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  const head = [
    ...[`PUT ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`],
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    'Connection: close',
  ]
  const chunks = [...body].map((character) => `1\r\n${character}\r\n`)
  socket.write(`${head.join('\r\n')}\r\n\r\n${chunks.join('')}0\r\n\r\n`)
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (piece) => {
    text += piece
  })
  await new Promise((resolve) => socket.on('close', resolve))
  return { status: Number(text.split(' ')[1]), text }
}

t.test('A body in small chunks', async (t) => {
  t.test('is read as one body, in few pieces', async (t) => {
    pieces = 0
    const welcome_message = 'x'.repeat(900)
    const { status, text } = await answerTo(JSON.stringify({ welcome_message }))
    t.equal(status, 200)
    t.ok(text.includes(welcome_message))
    t.ok(pieces < 90, `${pieces} pieces`)
  })

  t.test('is refused when it has far more chunks than its bytes need', async (t) => {
    pieces = 0
    const { status, text } = await answerTo(`{"welcome_message":"Hello"}${' '.repeat(5_000)}`)
    t.equal(status, 413)
    t.ok(text.includes('"payload_too_large"'))
    t.ok(pieces < 200, `${pieces} pieces`)
    const again = await answerTo('{}')
    t.notOk(again.text.includes('Hello'), 'no part of it is stored')
  })
})
