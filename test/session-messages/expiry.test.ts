import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { startOn, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { admin, ben, bot, play, post } = await openStage(service)
const { url, call, app } = await startOn(service, t, { ACCESS_TOKEN_TTL: '3' })

t.test('streamSessionEvents', async (t) => {
  t.test('ends with its access token, and continues with the next token', async (t) => {
    const session = await play()
    const { email, password } = admin
    const { body: login } = await call('login', { body: { email, password } })
    const stream = await openEvents(url, { token: login.access_token }, session._id)
    const streamOfKey = await openEvents(url, bot, session._id)
    await post(ben, session)
    await stream.has(1)
    await stream.over()
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
    await again.has(1)
    t.strictSame(again.seqs(), [2])
    await again.over()

    t.equal(streamOfKey.isOver(), false, 'the stream of an API key stays open')
    await streamOfKey.has(2)
    await streamOfKey.leave()
    await until(() => app.sessionStreams.size === 0)
  })
})
