import type { Schema } from '../../src/contract.js'
import { openDesk, openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { type Member, startOn, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { call, db, url, databaseUrl, addMember } = service
const other = await startOn({ db, databaseUrl }, t)
const { admin, organization_id, ben, cleo, bot, play, draft, change } = await openStage(service)

type Followed = Awaited<ReturnType<typeof openEvents>>

/** The presence of each participant as trainers list it, by user. */
async function listed(session_id: string): Promise<Map<string, Schema<'Presence'>>> {
  const params = { session_id }
  const { body } = await call('listParticipants', { token: admin.token, params })
  const places: Schema<'ParticipantAssignment'>[] = body
  return new Map(
    places.map(({ user_id, presence }) => [user_id, presence ?? { online: false, since: 'none' }]),
  )
}
const isOnline = async ({ user_id }: Member, session_id: string) =>
  (await listed(session_id)).get(user_id)?.online

const rowsIn = (session_id: string) =>
  db
    .selectFrom('stream_presence')
    .select('user_id')
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', session_id)
    .execute()

const eventsOf = (stream: Followed, { user_id }: Member): Schema<'PresenceEvent'>[] =>
  stream.named('presence').filter((one) => one.user_id === user_id)
const lastOf = (stream: Followed, member: Member) => eventsOf(stream, member).at(-1)

t.test('listParticipants', async (t) => {
  t.test('shows who is online and since when', async (t) => {
    const { _id } = await play()
    t.strictSame((await listed(_id)).get(ben.user_id), { online: false, since: null })
    const opened = Date.now()
    const stream = await openEvents(url, ben, _id)
    await until(async () => (await isOnline(ben, _id)) === true)
    const { since } = (await listed(_id)).get(ben.user_id) ?? {}
    t.ok(Date.parse(since ?? '') >= opened && Date.parse(since ?? '') <= Date.now())
    t.strictSame((await listed(_id)).get(cleo.user_id), { online: false, since: null })

    await stream.leave()
    await until(async () => (await isOnline(ben, _id)) === false)
    const after = (await listed(_id)).get(ben.user_id)?.since ?? ''
    t.ok(Date.now() - Date.parse(after) > 1_900, 'since the stream closed, two seconds ago')
  })

  t.test('is the same in every process', async (t) => {
    const { _id } = await play()
    const [here, there] = [await openEvents(url, ben, _id), await openEvents(other.url, ben, _id)]
    const params = { session_id: _id }
    const { body } = await other.call('listParticipants', { token: admin.token, params })
    t.equal(body.length, 2)
    await until(async () => (await rowsIn(_id)).length === 2)
    await here.leave()
    await until(async () => (await rowsIn(_id)).length < 2)
    t.equal((await rowsIn(_id)).length, 1, 'a stream is open on the other process')
    await until(async () => (await isOnline(ben, _id)) === true)
    await there.leave()
    await until(async () => (await isOnline(ben, _id)) === false)
  })

  t.test('ignores the streams of trainers, raters and characters', async (t) => {
    const executive = await addMember(organization_id, 'executive')
    const { _id } = await play({ rater_ids: [executive.user_id] })
    const streams = await Promise.all(
      [admin, executive, bot, ben].map((reader) => openEvents(url, reader, _id)),
    )
    await until(async () => (await isOnline(ben, _id)) === true)
    t.strictSame(await rowsIn(_id), [{ user_id: ben.user_id }])
    for (const stream of streams) await stream.leave()
  })
})

t.test('joinSession shows participants no presence', async (t) => {
  const { _id } = await draft()
  const params = { session_id: _id }
  const body = { consent: true }
  const answer = await call('joinSession', { token: ben.token, params, body })
  t.match(answer, { status: 200, body: { presence: null } })
})

t.test('streamSessionEvents', async (t) => {
  t.test('sends trainers in every process who goes online and offline', async (t) => {
    const { _id } = await play()
    const streams = [await openEvents(url, admin, _id), await openEvents(other.url, admin, _id)]
    for (const stream of streams) await until(() => stream.named('presence').length === 2)
    t.match(streams[0]?.named('presence'), [
      { session_id: _id, user_id: String, assignment_id: String, online: false, since: null },
      { online: false, since: null },
    ])
    const own = await openEvents(other.url, ben, _id)
    for (const stream of streams) {
      await until(() => lastOf(stream, ben)?.online === true)
    }
    const { since } = (await listed(_id)).get(ben.user_id) ?? {}
    t.match(lastOf(streams[0] as Followed, ben), { since })
    const late = await openEvents(url, admin, _id)
    await until(() => late.named('presence').length === 2)
    t.match(
      lastOf(late, ben),
      { online: true, since },
      'a later stream starts with the current presence',
    )
    await own.leave()
    for (const stream of [...streams, late]) {
      await until(() => lastOf(stream, ben)?.online === false)
      await stream.leave()
    }
    t.equal(eventsOf(late, cleo).length, 1)
  })

  t.test('sends presence only to trainers', async (t) => {
    const executive = await addMember(organization_id, 'executive')
    const { _id } = await play({ rater_ids: [executive.user_id] })
    const others = await Promise.all(
      [executive, bot, cleo].map((reader) => openEvents(url, reader, _id)),
    )
    const trainer = await openEvents(url, admin, _id)
    const own = await openEvents(url, ben, _id)
    await until(() => lastOf(trainer, ben)?.online === true)
    await change('pauseSession', admin, { _id })
    for (const stream of others) {
      await until(() => stream.statuses().includes('paused'))
      t.strictSame(stream.named('presence'), [])
    }
    for (const stream of [...others, own, trainer]) await stream.leave()
  })
})

t.test('streamEvents sends trainers the presence in all running sessions', async (t) => {
  const { _id } = await play()
  const early = await openEvents(url, cleo, _id)
  await until(async () => (await isOnline(cleo, _id)) === true)
  const desk = await openDesk(other.url, admin)
  const here = (member: Member) =>
    eventsOf(desk, member).findLast(({ session_id }) => session_id === _id)
  await desk.waitForSession(_id, { status: 'running' })
  const own = await openEvents(url, ben, _id)
  await until(() => here(ben)?.online === true)
  t.match(here(ben), { session_id: _id, since: String })
  await own.leave()
  await until(() => here(ben)?.online === false)
  await early.leave()
  await until(() => here(cleo)?.online === false)
  await desk.leave()
})
