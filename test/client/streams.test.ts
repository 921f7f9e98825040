import { createClient, type SessionEvent, type StreamState } from '../../src/client/client.js'
import { openDetour } from '../helpers/detour.js'
import { t } from '../helpers/file.js'
import { startOn, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { admin, ben, play, post, change } = await openStage(service)
const { hostname: host, port } = new URL(service.url)
const quick = { shortest: 20, longest: 100 }
const tokensOf = ({ token }: { token: string }) => ({ access_token: token, refresh_token: '' })

type Reader = Pick<ReturnType<typeof createClient>, 'streamSessionEvents'>

/** Reads a session until its end in the background. */
function follow(client: Reader, session_id: string) {
  const states: StreamState[] = []
  const events: SessionEvent[] = []
  const leaving = new AbortController()
  const read = async () => {
    const options = { signal: leaving.signal, onState: (state: StreamState) => states.push(state) }
    for await (const event of client.streamSessionEvents(session_id, options)) events.push(event)
  }
  const over = read()
  const seqs = () => events.flatMap(({ event, data }) => (event === 'message' ? [data.seq] : []))
  const has = (count: number) => until(() => seqs().length >= count)
  const becomes = (state: StreamState) => until(() => states.at(-1) === state)
  return { states, events, over, seqs, has, becomes, leave: () => leaving.abort() }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

t.test('A stream that is cut off', async (t) => {
  const detour = await openDetour(t, { host, port: Number(port) })
  const baseUrl = `http://${detour.node.host}:${detour.node.port}`
  const client = createClient({ baseUrl, tokens: tokensOf(ben), timing: quick })
  const session = await play()
  const stream = follow(client, session._id)

  for (let cuts = 0; cuts < 3; cuts++) {
    await post(ben, session)
    await stream.has(3 * cuts + 1)
    const posting = post(ben, session)
    await detour.cut()
    await posting
    await post(ben, session)
    await stream.becomes('waiting')
    detour.mend()
    await stream.has(3 * cuts + 3)
  }
  await change('endSession', admin, session)
  await stream.over
  t.strictSame(stream.seqs(), numbers(9), 'has every message once')
  t.match(stream.events.at(-1), { event: 'end', data: { reason: 'session_ended' } })
  t.equal(stream.states.at(-1), 'open')
})

t.test('A stream that is silent', async (t) => {
  const detour = await openDetour(t, { host, port: Number(port) })
  const baseUrl = `http://${detour.node.host}:${detour.node.port}`
  const timing = { ...quick, silence: 500 }
  const client = createClient({ baseUrl, tokens: tokensOf(ben), timing })
  const session = await play()
  const stream = follow(client, session._id)
  await post(ben, session)
  await stream.has(1)

  detour.hang()
  await post(ben, session)
  await stream.becomes('waiting')
  t.strictSame(stream.seqs(), [1])
  detour.goOn()
  await stream.has(2)
  stream.leave()
  await stream.over
  t.strictSame(stream.seqs(), numbers(2), 'is opened again, and continues')
})

t.test('A stream whose access token expires continues with the next one', async (t) => {
  const brief = await startOn(service, t, { ACCESS_TOKEN_TTL: '3' })
  const stored: string[] = []
  const client = createClient({
    baseUrl: brief.url,
    onTokens: ({ access_token }) => stored.push(access_token),
  })
  const { email, password } = admin
  const { data } = await client.api.POST('/api/v1/auth/login', { body: { email, password } })
  client.setTokens(data)
  const session = await play()
  const stream = follow(client, session._id)
  await post(ben, session)
  await until(() => stored.length === 1)
  await post(ben, session)
  await stream.has(2)
  await change('endSession', admin, session)
  await stream.over
  t.strictSame(stream.seqs(), numbers(2))
  t.notOk(stream.states.includes('waiting'), 'without a pause')
  t.notOk(stored.includes(data.access_token))
})
