import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import { unsent } from '../../src/http/unsent.js'
import { t } from '../helpers/file.js'
import { until } from '../helpers/until.js'

const mebibyte = 1_048_576
/** More than a connection buffers for a client that does not read. */
const answer = Buffer.alloc(16 * mebibyte, 'x')

/** A server that treats the path of a request as its organization. */
const app = Fastify()
app.register(
  fp(
    async (server) => {
      server.decorateRequest('turnKey', {
        getter() {
          return this.url
        },
      })
    },
    { name: 'request-turns' },
  ),
)
app.register(unsent)
let asked = 0
let answerAll = () => {}
const answering = new Promise<void>((resolve) => {
  answerAll = resolve
})
app.get('/later/*', async () => {
  asked++
  await answering
  return answer
})
app.get('*', async () => answer)
const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
t.teardown(() => app.close())

const connections = () =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

/** Sends a request, and reads the answer when `read` is called. */
async function ask(path: string) {
  const served = once(app.server, 'connection')
  const socket = connect(Number(port), '127.0.0.1').pause()
  socket.on('error', () => {})
  let bytes = 0
  socket.on('data', (piece) => {
    bytes += piece.length
  })
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  const [server] = await served
  await until(() => server.writableLength > 0 || server.destroyed)
  return {
    isCutOff: () => server.destroyed as boolean,
    async read() {
      socket.resume()
      await once(socket, 'close')
      return bytes
    },
  }
}

t.test('Answers to clients who have disconnected do not count', async (t) => {
  const leaving = Array.from({ length: 5 }, (_, i) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`GET /later/${i} HTTP/1.1\r\nHost: x\r\n\r\n`)
    return socket
  })
  await until(() => asked === leaving.length)
  for (const socket of leaving) socket.destroy()
  await until(async () => (await connections()) === 0)
  answerAll()
  const reading = [await ask('/reading'), await ask('/reading')]
  t.strictSame(
    reading.map(({ isCutOff }) => isCutOff()),
    [false, false],
  )
  for (const one of reading) await one.read()
})

t.test('Unread answers', async (t) => {
  const modest = await ask('/modest')
  const greedy = [await ask('/greedy'), await ask('/greedy'), await ask('/greedy')]
  t.notOk(
    [modest, ...greedy].some(({ isCutOff }) => isCutOff()),
    'wait while there are few',
  )
  greedy.push(await ask('/greedy'), await ask('/greedy'))
  const isCutOff = () => greedy.map((one) => one.isCutOff())
  await until(() => isCutOff().filter(Boolean).length === 2)
  t.strictSame(isCutOff(), [true, true, false, false, false], 'the oldest are cut off')
  t.notOk(modest.isCutOff(), 'the organization with few answers keeps its answer')
  t.ok((await modest.read()) > answer.length, 'and can read it completely')
  for (const one of greedy) await one.read()
  t.notOk((await ask('/greedy')).isCutOff(), 'answers that were read do not count')
})
