import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { seatsOf } from '../helpers/seats.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t, { RATE_LIMIT: 'on' })
const { call, db, url } = service
const { admin, organization_id, ben, draft, post, change } = await openStage(service)
const { createLinks, take, joinAs } = seatsOf(service)

// This comes before any message, because the service caches limits for a while.
await setLimits(db, organization_id, { participant_messages_per_minute: 1 })

/** A running session in which Ben has joined with a seat. */
async function playInSeat() {
  const { _id } = await draft({ participants: [{ user_id: ben.user_id }] })
  const [link] = await createLinks(admin, _id)
  const seat = await take(link)
  await joinAs(seat, null)
  const { conversations } = await change('startSession', admin, { _id })
  const [home = ''] = conversations.map(({ conversation_id }) => conversation_id)
  return { play: { _id, home, away: '', params: { session_id: _id } }, seat }
}

t.test('A seat does not use up', async (t) => {
  t.test('the streams of its user', async (t) => {
    const { play, seat } = await playInSeat()
    const own = await openEvents(url, ben, play._id)
    const streams = []
    for (let i = 0; i < 21; i++) streams.push(await openEvents(url, seat, play._id))
    const [oldest, ...others] = streams
    await oldest?.waitForEnd()
    t.match(oldest?.events.at(-1), { event: 'end', data: { reason: 'too_many_streams' } })
    await post(ben, play)
    await own.waitForMessages(1)
    t.notOk(own.isOver())
    await Promise.all([own, ...others].map((stream) => stream.leave()))
  })

  t.test('the requests of its user, even with refreshed tokens', async (t) => {
    const { play, seat } = await playInSeat()
    const remaining = async (token: string) => {
      const { headers } = await call('getBriefing', { token, params: play.params })
      return Number(headers.get('ratelimit-remaining'))
    }
    const before = await remaining(ben.token)
    const used = await remaining(seat.token)
    const { refresh_token } = seat
    const { body: renewed } = await call('refreshToken', { body: { refresh_token } })
    t.equal(await remaining(renewed.access_token), used - 1)
    t.equal(await remaining(ben.token), before - 1)
  })

  t.test('the messages per minute of its user', async (t) => {
    const { play, seat } = await playInSeat()
    const inSeat = { ...ben, token: seat.token }
    t.equal((await post(inSeat, play)).status, 201)
    t.match(await post(inSeat, play), { status: 409, body: { code: 'quota_exceeded' } })
    t.equal((await post(ben, play)).status, 201)
  })
})
