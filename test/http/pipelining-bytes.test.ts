import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { pipelining } from '../../src/http/pipelining.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { ben, play } = await openStage(service)

const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`

function send(port: number | string, requests: string) {
  const socket = connect(Number(port), '127.0.0.1')
  const connection = { socket, text: '', isClosed: false }
  socket.on('error', () => {})
  socket.on('data', (piece) => {
    connection.text += piece
  })
  socket.on('close', () => {
    connection.isClosed = true
  })
  socket.write(requests)
  return connection
}

const answersIn = ({ text }: { text: string }) => text.match(/HTTP\/1.1 200/g)?.length ?? 0

t.test('Requests that wait on all connections', async (t) => {
  t.test('have at most 16 MiB of headers, plus one request per connection', async (t) => {
    const app = Fastify({ forceCloseConnections: true })
    app.register(pipelining)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    app.get('/', async () => {
      await released
      return 'done'
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    t.teardown(() => app.close())
    const { port } = app.server.address() as AddressInfo

    const long = get('/', `X-Long: ${'x'.repeat(15_000)}\r\n`)
    const greedy = Array.from({ length: 100 }, () => send(port, long.repeat(16)))
    const kept = () => greedy.filter(({ isClosed }) => !isClosed)
    const mostKept = Math.ceil((16 * 1_048_576) / (15 * 15_000))
    await until(() => kept().length <= mostKept)
    const modest = send(port, long.repeat(2))
    await once(modest.socket, 'connect')
    release()
    await until(() => answersIn(modest) === 2)
    await until(() => kept().every((connection) => answersIn(connection) === 16))
    t.ok(kept().length > mostKept / 2, `${kept().length} were served`)
    for (const { socket } of [...greedy, modest]) socket.destroy()
  })
})

t.test('No request waits for the end of an event stream', async (t) => {
  const { port } = new URL(service.url)
  const events = ({ token }: Member, { _id }: { _id: string }) =>
    get(`/api/v1/simulation/sessions/${_id}/events`, `Authorization: Bearer ${token}\r\n`)
  const streams = () => service.app.sessionStreams.size

  t.test('when it is sent together with the request for the stream', async (t) => {
    const session = await play()
    for (const before of ['', get('/health')]) {
      const connection = send(port, before + events(ben, session) + get('/health'))
      await until(() => connection.isClosed)
      t.notMatch(connection.text, 'text/event-stream')
      await until(() => streams() === 0)
    }
  })

  t.test('when the stream is already open', async (t) => {
    const session = await play()
    const connection = send(port, get('/health') + events(ben, session))
    await until(() => connection.text.includes('event: status'))
    t.equal(streams(), 1)
    connection.socket.write(get('/health'))
    await until(() => connection.isClosed && streams() === 0)
    t.equal(answersIn(connection), 2)
  })
})
