import { sql } from 'kysely'
import { createId } from '../../src/formats/identifiers.js'
import { Attendance } from '../../src/session-messages/stream/attendance/attendance.js'
import { removeLeftovers } from '../../src/session-messages/stream/attendance/attendance-queries.js'
import { SessionStreams } from '../../src/session-messages/stream/hub.js'
import { presenceIn } from '../../src/session-messages/stream/open-sessions/presence-queries.js'
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

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()

/** Stores a process with a stream of a participant. */
async function insertProcess({ user_id }: Member, session_id: string, renewed_at: string) {
  const process_id = createId()
  const since = secondsAgo(600)
  await db.insertInto('stream_processes').values({ process_id, renewed_at }).execute()
  const reader = { organization_id, session_id, user_id, process_id, since }
  await db.insertInto('stream_presence').values(reader).execute()
  return { process_id, renewed_at, since }
}

/** All rows of a table. */
const rowsOf = async (table: 'stream_presence' | 'stream_processes') =>
  db.selectFrom(table).selectAll().execute()

t.test('A process that does not renew its lease counts as gone', async (t) => {
  const { _id } = await play()
  const trainer = await openEvents(url, admin, _id)
  const { process_id, since } = await insertProcess(ben, _id, secondsAgo(-600))
  const last = () => trainer.named('presence').findLast((one) => one.user_id === ben.user_id)
  await until(() => last()?.online === true)
  t.strictSame(await presenceOf(ben, _id), { online: true, since })
  const renewed_at = secondsAgo(40)
  await db
    .updateTable('stream_processes')
    .set({ renewed_at })
    .where('process_id', '=', process_id)
    .execute()
  // A stream that was cut has no such event any more.
  await until(() => last()?.online === false || trainer.isOver())
  t.notOk(trainer.isOver(), JSON.stringify(trainer.events.at(-1)))
  t.strictSame(await presenceOf(ben, _id), { online: false, since: renewed_at })
  t.match(last(), { since: renewed_at })
  await trainer.leave()
})

t.test('A change between the two queries of a beat is not lost', async (t) => {
  const { _id } = await play()
  const raced = db.withoutPlugins()
  const execute = raced.executeQuery.bind(raced)
  let isRaced = false
  raced.executeQuery = async (query, ...options) => {
    const isPlaces = 'sql' in query && query.sql.includes('place.last_online_at')
    if (!isPlaces || isRaced) return execute(query, ...options)
    isRaced = true
    // The first query has seen no process, this one sees it, and then it is gone.
    const { process_id } = await insertProcess(ben, _id, secondsAgo(-600))
    const result = await execute<never>(query, ...options)
    await db.deleteFrom('stream_processes').where('process_id', '=', process_id).execute()
    return result
  }
  const longAnswers = new Turns({ capacity: 2 })
  const streams = new SessionStreams({ db: raced, dbOf: () => db, longAnswers, log: app.log })
  t.teardown(() => streams.close())
  const session = await db
    .selectFrom('simulation_sessions')
    .selectAll()
    .where('_id', '=', _id)
    .executeTakeFirstOrThrow()
  const trainer = {
    ...(await readerOf(admin)),
    role: 'admin',
    kind: 'trainer',
    seesAll: true,
    takesPart: false,
  } as const
  const stream = streams.open({ ...session, now: new Date().toISOString() }, trainer, 0)
  let text = ''
  const online = () => text.match(presenceOfBen)?.map((event) => event.includes('"online":true'))
  const presenceOfBen = new RegExp(`"user_id":"${ben.user_id}","online":(true|false)`, 'g')
  for await (const piece of stream.events()) {
    text += piece
    if (online()?.length === 2) break
  }
  t.strictSame(online(), [true, false])
})

t.test('A lease counts for 4 seconds', async (t) => {
  const session_id = (await play())._id
  const { process_id } = await insertProcess(ben, session_id, secondsAgo(0))
  // The time of the database stands still in a transaction.
  await db.transaction().execute(async (trx) => {
    async function countsAfter(ms: number): Promise<boolean> {
      await sql`
        update stream_processes set renewed_at = now() - ${ms}::integer * interval '1 ms'
        where process_id = ${process_id}`.execute(trx)
      const presence = await presenceIn(trx, { organization_id, session_id })
      return [...presence.values()].some(({ online }) => online)
    }
    t.strictSame([await countsAfter(3_999), await countsAfter(4_001)], [true, false])
  })
})

t.test('Rows of a gone process are removed, but the time of its last lease is kept', async (t) => {
  const { _id } = await play()
  const gone = await insertProcess(ben, _id, secondsAgo(90))
  const there = await insertProcess(cleo, _id, secondsAgo(0))
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

  t.test('keeps the row of a participant who reconnects, and removes it later', async (t) => {
    const { _id: session_id } = await play()
    const stream = { organization_id, session_id, reader: { ...ben, takesPart: true } }
    const streams = new Set([stream])
    const attendance = new Attendance(db, streams)
    await attendance.write()
    const before = await rowsOf('stream_presence')
    t.equal(before.length, 1)
    for (let times = 0; times < 3; times++) {
      streams.delete(stream)
      await attendance.write()
      streams.add(stream)
      await attendance.write()
      t.strictSame(await rowsOf('stream_presence'), before)
    }
    streams.delete(stream)
    await until(async () => {
      await attendance.write()
      return (await rowsOf('stream_presence')).length === 0
    })
    t.strictSame(await rowsOf('stream_processes'), [])
  })

  t.test('needs no more statements for many participants than for one', async (t) => {
    const sessions: { _id: string }[] = []
    while (sessions.length < 20) sessions.push(await play())
    const reader = await readerOf(ben)
    async function statementsFor(count: number): Promise<number> {
      const counted = db.withoutPlugins()
      const execute = counted.executeQuery.bind(counted)
      let writes = 0
      counted.executeQuery = (query, ...options) => {
        if ('sql' in query && query.sql.includes('into stream_presence')) writes++
        return execute(query, ...options)
      }
      const longAnswers = new Turns({ capacity: 2 })
      const streams = new SessionStreams({ db: counted, dbOf: () => db, longAnswers, log: app.log })
      const found = await db.selectFrom('simulation_sessions').selectAll().execute()
      const played = found.filter(({ _id }) => sessions.some((one) => one._id === _id))
      for (const session of played.slice(0, count)) {
        streams.open({ ...session, now: new Date().toISOString() }, reader, 0)
      }
      await until(async () => (await rowsOf('stream_presence')).length === count)
      await streams.close()
      await db.deleteFrom('stream_presence').execute()
      await db.deleteFrom('stream_processes').execute()
      return writes
    }
    t.equal(await statementsFor(1), 1)
    t.equal(await statementsFor(20), 1)
  })
})

/** A participant who may read. */
async function readerOf({ user_id }: Member) {
  const { _id: session_id } = await db
    .selectFrom('login_sessions')
    .select('_id')
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow()
  return {
    ...({ organization_id, user_id, role: 'employee', kind: 'participant' } as const),
    session_id,
    api_key_id: null,
    seat: null,
    network: '127.0.0.1',
    expiresAt: null,
    seesAll: false,
    takesPart: true,
  }
}

t.test('The readers of a killed process go offline', { skip: skipEmbedded }, async (t) => {
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
  await own.waitForEnd()
  await until(async () => !(await isOnline()))
})
