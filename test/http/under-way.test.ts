import { connect, type Socket } from 'node:net'
import { createId } from '../../src/formats/identifiers.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t, { RATE_LIMIT: 'on' })
const { app, call, url } = service
const { ben, cleo, bot, organization_id, play } = await openStage(service)

/** Lets no request of the organization have a connection to the database until it is called. */
function holdConnections() {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const hold = () =>
    app
      .dbOf(organization_id)
      .connection()
      .execute(() => released)
  for (let i = 0; i < 20; i++) hold().catch(() => {})
  return release
}

t.test('A person', async (t) => {
  const params = { organization_id }
  const read = ({ token }: { token: string }) => call('getOrganization', { token, params })

  t.test('may have sixteen requests under way, and others are not limited by that', async (t) => {
    const release = holdConnections()
    const statuses: number[] = []
    const ask = async (caller: typeof ben) => {
      const { status, headers } = await read(caller)
      statuses.push(status)
      if (status === 429) t.equal(headers.get('retry-after'), '1')
    }
    const asked = Array.from({ length: 20 }, () => ask(ben))
    const refused = () => statuses.filter((status) => status === 429).length
    await until(() => refused() === 4)
    const others = Array.from({ length: 16 }, () => ask(cleo))
    const ofBot = Array.from({ length: 20 }, () => ask(bot))
    release()
    await Promise.all([...asked, ...others, ...ofBot])
    t.equal(refused(), 4)
    t.equal((await read(ben)).status, 200, 'and again, when they are answered')
  })

  t.test('has none under way after their connection is closed', async (t) => {
    const { _id } = await play()
    const { hostname, port } = new URL(url)
    const ask = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ben.token}\r\n\r\n`
    const sockets = Array.from({ length: 8 }, () => connect(Number(port), hostname))
    for (const socket of sockets) {
      // The second answer waits behind the stream, which does not end.
      socket.write(ask(`/api/v1/simulation/sessions/${_id}/events`) + ask('/api/v1/auth/me'))
    }
    await until(() => app.sessionStreams.size === 8)
    for (const socket of sockets) socket.destroy()
    await until(() => app.sessionStreams.size === 0)
    const answers = await Promise.all(Array.from({ length: 16 }, () => read(ben)))
    t.notOk(answers.some(({ status }) => status === 429))
  })

  t.test('has requests under way whose connection is closed, until they are done', async (t) => {
    await read(ben)
    const release = holdConnections()
    const { hostname, port } = new URL(url)
    const open = new Set<Socket>()
    app.server.on('connection', (socket: Socket) => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    })
    let refused = 0
    const sockets = Array.from({ length: 20 }, () => {
      const socket = connect(Number(port), hostname)
      const path = `/api/v1/organizations/${organization_id}`
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ben.token}\r\n\r\n`)
      socket.on('data', (text) => {
        if (String(text).startsWith('HTTP/1.1 429')) refused++
      })
      return socket
    })
    await until(() => refused === 4)
    for (const socket of sockets) socket.destroy()
    await until(() => open.size === 0)
    t.equal((await read(ben)).status, 429, 'the work of sixteen goes on')
    release()
    await until(async () => (await read(ben)).status === 200)
  })

  t.test('has a request for an event stream under way until it is answered', async (t) => {
    const release = holdConnections()
    const headers = { authorization: `Bearer ${ben.token}` }
    let refused = 0
    const opened = Array.from({ length: 20 }, async () => {
      const path = `/api/v1/simulation/sessions/${createId()}/events`
      const { status } = await fetch(url + path, { headers })
      if (status === 429) refused++
    })
    await until(() => refused === 4)
    release()
    await Promise.all(opened)
    t.equal(refused, 4)
  })

  t.test('may have more with event streams', async (t) => {
    const session = await play()
    const streams = []
    for (let i = 0; i < 17; i++) streams.push(await openEvents(url, ben, session._id))
    t.equal((await read(ben)).status, 200)
    await Promise.all(streams.map((stream) => stream.leave()))
  })
})
