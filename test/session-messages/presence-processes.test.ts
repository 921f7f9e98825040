import { createId } from '../../src/formats/identifiers.js'
import { SessionStreams } from '../../src/session-messages/stream/hub.js'
import { removeLeftovers } from '../../src/session-messages/stream/presence/attendance-queries.js'
import { Turns } from '../../src/turns/turns.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { person, placeWithDatabase, send, start, stopEverything } from '../helpers/process.js'
import { type Member, startService } from '../helpers/service.js'
import { skipEmbedded } from '../helpers/skips.js'
import { openStage } from '../helpers/stage.js'
import { until } from '../helpers/until.js'

t.teardown(stopEverything)

const service = await startService(t, {}, { isAlone: true })
const { app, call, db, url } = service
const { admin, organization_id, ben, cleo, play } = await openStage(service)

async function presenceOf({ user_id }: Member, session_id: string) {
  const params = { session_id }
  const { body } = await call('listParticipants', { token: admin.token, params })
  return body.find((one: { user_id: string }) => one.user_id === user_id).presence
}

/** Stores a process with a stream of a participant. It has renewed its lease some seconds ago. */
async function insertProcess({ user_id }: Member, session_id: string, secondsAgo: number) {
  const process_id = createId()
  const renewed_at = new Date(Date.now() - secondsAgo * 1_000).toISOString()
  const since = new Date(Date.now() - 600_000).toISOString()
  await db.insertInto('stream_processes').values({ process_id, renewed_at }).execute()
  const reader = { organization_id, session_id, user_id, process_id, since }
  await db.insertInto('stream_presence').values(reader).execute()
  return { process_id, renewed_at, since }
}

/** All rows of a table. */
const rowsOf = async (table: 'stream_presence' | 'stream_processes') =>
  db.selectFrom(table).selectAll().execute()

t.test('A process that stops renewing its lease counts as gone after 4 seconds', async (t) => {
  const { _id } = await play()
  const trainer = await openEvents(url, admin, _id)
  const { renewed_at, since } = await insertProcess(ben, _id, 0)
  const from = performance.now()
  const last = () => trainer.named('presence').findLast((one) => one.user_id === ben.user_id)
  await until(() => last()?.online === true)
  t.strictSame(await presenceOf(ben, _id), { online: true, since })
  await until(() => last()?.online === false)
  const took = performance.now() - from
  t.ok(took > 3_000, `${took} ms`)
  t.strictSame(await presenceOf(ben, _id), { online: false, since: renewed_at })
  t.match(last(), { since: renewed_at })
  await trainer.leave()
})

t.test('Rows of a gone process are removed, but the time of its last lease is kept', async (t) => {
  const { _id } = await play()
  const gone = await insertProcess(ben, _id, 90)
  const there = await insertProcess(cleo, _id, 0)
  await removeLeftovers(db)
  const left = (await rowsOf('stream_presence')).map(({ process_id }) => process_id)
  t.notOk(left.includes(gone.process_id))
  t.ok(left.includes(there.process_id))
  t.strictSame(await presenceOf(ben, _id), { online: false, since: gone.renewed_at })
  await db.deleteFrom('stream_presence').execute()
  await db.deleteFrom('stream_processes').execute()
})

t.test('A process', async (t) => {
  t.test(
    'writes only its lease while streams stay open, and nothing without streams',
    async (t) => {
      const { _id } = await play()
      const streams = [await openEvents(url, ben, _id), await openEvents(url, cleo, _id)]
      await until(async () => (await rowsOf('stream_presence')).length === 2)
      const before = await rowsOf('stream_presence')
      const [lease] = await rowsOf('stream_processes')
      await until(async () => {
        const [renewed] = await rowsOf('stream_processes')
        return renewed?.renewed_at !== lease?.renewed_at
      })
      t.strictSame(await rowsOf('stream_presence'), before)
      for (const stream of streams) await stream.leave()
      await until(async () => (await rowsOf('stream_processes')).length === 0)
      t.strictSame(await rowsOf('stream_presence'), [])
    },
  )

  t.test('writes its streams again after another process has removed them', async (t) => {
    const { _id } = await play()
    const stream = await openEvents(url, ben, _id)
    await until(async () => (await presenceOf(ben, _id)).online)
    await db.deleteFrom('stream_presence').execute()
    await db.deleteFrom('stream_processes').execute()
    t.equal((await presenceOf(ben, _id)).online, false)
    await until(async () => (await presenceOf(ben, _id)).online)
    await stream.leave()
    await until(async () => (await rowsOf('stream_processes')).length === 0)
  })

  t.test('needs no more statements for many participants than for one', async (t) => {
    const sessions: { _id: string }[] = []
    while (sessions.length < 20) sessions.push(await play())
    async function statementsFor(count: number): Promise<number> {
      const counted = db.withoutPlugins()
      const execute = counted.executeQuery.bind(counted)
      let writes = 0
      counted.executeQuery = (query, ...options) => {
        if ('sql' in query && /into stream_|update stream_/.test(query.sql)) writes++
        return execute(query, ...options)
      }
      const longAnswers = new Turns({ capacity: 2 })
      const streams = new SessionStreams({ db: counted, dbOf: () => db, longAnswers, log: app.log })
      const found = await db.selectFrom('simulation_sessions').selectAll().execute()
      const played = found.filter(({ _id }) => sessions.some((one) => one._id === _id))
      for (const session of played.slice(0, count)) {
        const reader = { ...readerOf(ben), takesPart: true }
        streams.open({ ...session, now: new Date().toISOString() }, reader, 0)
      }
      await until(async () => (await rowsOf('stream_presence')).length === count)
      await streams.close()
      await db.deleteFrom('stream_presence').execute()
      await db.deleteFrom('stream_processes').execute()
      return writes
    }
    t.equal(await statementsFor(1), 2)
    t.equal(await statementsFor(20), 2)
  })
})

const readerOf = ({ user_id }: Member) => ({
  ...({ organization_id, user_id, role: 'employee', kind: 'participant' } as const),
  session_id: createId(),
  api_key_id: null,
  seat: null,
  expiresAt: null,
  seesAll: false,
})

t.test(
  'The readers of a killed process are offline after 5 seconds',
  { skip: skipEmbedded },
  async (t) => {
    const place = {
      ...(await placeWithDatabase(t, { isMigrated: true })),
      JWT_SECRET: 'a-secret-for-tests-32-bytes-long',
    }
    const [one, other] = [start(place), start(place)]
    const [here, there] = await Promise.all([one.address(), other.address()])
    const { body: ada } = await send(here, '/auth/register', person('ada@presence.example'))
    const { access_token: token, user_id } = ada
    const setup = '/admin/simulation/scenario-blueprints/quick-setup/apply'
    await send(here, setup, { scenario_type: 'hr_workforce' }, token)
    const body = { name: 'Tuesday', scenario_name: 'hr_workforce', participants: [{ user_id }] }
    const { body: session } = await send(here, '/simulation/sessions', body, token)
    const path = `/simulation/sessions/${session._id}`
    await send(here, `${path}/participation`, { consent: true }, token)
    const own = await openEvents(there, { token }, session._id)
    const isOnline = async () =>
      (await send(here, `${path}/participants`, undefined, token)).body[0].presence.online
    await until(isOnline)
    other.process.kill('SIGKILL')
    await own.over()
    t.equal(await isOnline(), true, 'the row is still there')
    await until(async () => !(await isOnline()))
  },
)
