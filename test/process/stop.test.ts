import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import { closeIdleConnections } from '../../src/process/shutdown.js'
import { t } from '../helpers/file.js'
import {
  person,
  placeWithDatabase,
  readiness,
  refusesConnections,
  send,
  start,
  stopEverything,
} from '../helpers/process.js'

t.teardown(stopEverything)

const place = await placeWithDatabase(t, { isMigrated: true })

/** A connection that records everything it receives. */
async function openConnection(base: string) {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
    .setEncoding('utf8')
    .on('error', () => {})
  let received = ''
  socket.on('data', (text) => {
    received += text
  })
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  return { socket, closed, received: () => received }
}

t.test('A stop waits for requests, not for connections', async (t) => {
  const service = start(place)
  const base = await service.address()
  const silent = await openConnection(base)
  const idle = await openConnection(base)
  const busy = await openConnection(base)
  idle.socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(idle.socket, 'data')

  const body = JSON.stringify(person('busy@one.example'))
  const head = `host: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  const interim = once(busy.socket, 'data')
  busy.socket.write(
    `POST /api/v1/auth/register HTTP/1.1\r\n${head}\r\nexpect: 100-continue\r\n\r\n`,
  )
  await interim
  service.process.kill('SIGTERM')
  t.ok(await refusesConnections(base))
  busy.socket.write(body)
  await Promise.all([silent.closed, idle.closed, busy.closed])

  const statuses = [...busy.received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)
  t.strictSame(statuses, ['100', '201'])
  t.match(
    busy.received(),
    /^connection: close\r$/im,
    'the client should send no more requests there',
  )
  t.match(await service.exit, { code: 0, signal: null })
})

t.test('A request on a keep-alive connection does not delay the stop', async (t) => {
  const service = start(place)
  const base = await service.address()
  const { socket, received } = await openConnection(base)
  const body = JSON.stringify(person('kept@one.example'))
  const head = `host: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  const interim = once(socket, 'data')
  socket.write(`POST /api/v1/auth/register HTTP/1.1\r\n${head}\r\nexpect: 100-continue\r\n\r\n`)
  await interim
  service.process.kill('SIGHUP')
  t.ok(await refusesConnections(base))
  socket.write(body)
  t.match(await service.exit, { code: 0, signal: null }, 'SIGHUP has the same effect')
  t.match(received(), /^HTTP\/1\.1 201/m)
})

t.test('A second signal never finds the process without a listener', async (t) => {
  const shutdown = new URL('../../src/process/shutdown.js', import.meta.url)
  const program = `
    import { closeOnSignals } from '${shutdown}'
    process.on('removeListener', (signal) => {
      if (signal.startsWith('SIG') && process.listenerCount(signal) === 0) console.log('none:', signal)
    })
    const log = { info() {}, error: console.log, fatal: console.log }
    closeOnSignals(log, 0, async () => process.kill(process.pid, 'SIGINT'))
    process.kill(process.pid, 'SIGINT')
    setInterval(() => {}, 1_000)`
  const service = start({}, [process.execPath, '--input-type=module', '--eval', program])
  const { code, signal, output } = await service.exit
  t.match({ code, signal }, { code: 0, signal: null })
  t.notMatch(output, /SIG(HUP|INT|TERM)/)
})

t.test('An answer to a slow reader is sent completely', async (t) => {
  const app = Fastify({ forceCloseConnections: 'idle' })
  closeIdleConnections(app)
  const large = Buffer.alloc(30_000_000)
  app.get('/', async () => large)
  const answered = new Promise((resolve) => {
    app.server.once('request', (_request, reply) => reply.once('prefinish', resolve))
  })
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const { socket, closed } = await openConnection(base)
  socket.pause().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await answered
  const threeChecks = new Promise<void>((resolve) => {
    let left = 3
    const { closeIdleConnections } = app.server
    app.server.closeIdleConnections = () => {
      closeIdleConnections()
      if (--left === 0) resolve()
    }
  })
  const closing = app.close()
  await threeChecks
  socket.resume()
  await Promise.all([closing, closed])
  t.ok(socket.bytesRead > large.length)
})

/** Waits until every process behind an address reports that it drains. */
async function waitForDraining(base: string) {
  let inARow = 0
  for (let attempt = 0; inARow < 6 && attempt < 10_000; attempt++) {
    const { status } = await readiness(base)
    inARow = status === 503 ? inARow + 1 : 0
  }
}

for (const WEB_CONCURRENCY of place.DATABASE_URL ? ['1', '2'] : ['1']) {
  t.test(`/ready is a 503 before a stop, processes: ${WEB_CONCURRENCY}`, async (t) => {
    const service = start({ ...place, WEB_CONCURRENCY, DRAIN_SECONDS: '15' })
    const base = await service.address()
    t.match(await readiness(base), { status: 200, body: { status: 'ready' } })
    service.process.kill('SIGTERM')
    await waitForDraining(base)
    const draining = await readiness(base)
    t.match(draining, { status: 503, retryAfter: /^[1-9]\d*$/ })
    const body = { detail: 'Service temporarily unavailable', code: 'unavailable' }
    t.strictSame(draining.body, body)
    service.process.kill('SIGTERM')
    service.process.kill('SIGINT')
    t.equal((await fetch(`${base}/health`)).status, 200)
    const email = `drained-${WEB_CONCURRENCY}@one.example`
    t.equal(
      (await send(base, '/auth/register', person(email))).status,
      201,
      'all requests are served',
    )
    t.match(await service.exit, { code: 0, signal: null })
  })
}

t.test('A crash ends the process', async (t) => {
  const service = start(place)
  await service.address()
  service.process.kill('SIGABRT')
  t.match(await service.exit, { code: null, signal: 'SIGABRT' })
})
