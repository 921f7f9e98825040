import type { Reader } from '../../src/session-messages/stream/access-queries.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { startOn, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { admin, ben, bot, play, post } = await openStage(service)
const { url, call, app } = await startOn(service, t)

/** The readers of all streams, in the order in which the streams were opened. */
const readers: Reader[] = []
const { sessionStreams } = app
const open = sessionStreams.open.bind(sessionStreams)
sessionStreams.open = (session, reader, after) => {
  readers.push(reader)
  return open(session, reader, after)
}

/** Lets the access token of the last opened stream expire. */
function expireLast(): void {
  const reader = readers.at(-1)
  if (reader) reader.expiresAt = Date.now()
}

/** When an access token expires, in milliseconds since 1970. */
function expiryOf(token: string): number {
  const [, claims = ''] = token.split('.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).exp * 1_000
}

t.test('streamSessionEvents', async (t) => {
  t.test('ends with its access token, and continues with the next token', async (t) => {
    const session = await play()
    const { email, password } = admin
    const { body: login } = await call('login', { body: { email, password } })
    const streamOfKey = await openEvents(url, bot, session._id)
    const stream = await openEvents(url, { token: login.access_token }, session._id)
    t.strictSame(
      readers.map(({ expiresAt }) => expiresAt),
      [null, expiryOf(login.access_token)],
    )
    await post(ben, session)
    await stream.waitForMessages(1)
    expireLast()
    await stream.waitForEnd()
    t.strictSame(stream.events.at(-1), {
      id: null,
      event: 'token_expired',
      data: { reason: 'token_expired' },
    })
    t.strictSame(stream.seqs(), [1])

    await post(ben, session)
    const { refresh_token } = login
    const { body: next } = await call('refreshToken', { body: { refresh_token } })
    const [last = 0] = stream.seqs()
    const headers = { 'last-event-id': String(last) }
    const again = await openEvents(url, { token: next.access_token }, session._id, headers)
    await again.waitForMessages(1)
    t.strictSame(again.seqs(), [2])
    expireLast()
    await again.waitForEnd()

    t.equal(streamOfKey.isOver(), false, 'the stream of an API key stays open')
    await streamOfKey.waitForMessages(2)
    await streamOfKey.leave()
    await until(() => app.sessionStreams.size === 0)
  })
})
