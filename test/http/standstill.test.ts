import { type ControlledTransaction, sql } from 'kysely'
import type { Database, Db } from '../../src/database/schema.js'
import { openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { until } from '../helpers/until.js'

/** The number of milliseconds by which the service's clock is ahead. */
let aheadMs = 0
const service = await startService(
  t,
  { LOG_LEVEL: 'warn' },
  { isAlone: true, clock: () => performance.now() + aheadMs },
)
const { app, log, request, registerAdmin } = service
const { addScenario, create, change } = sessionsOf(service)

/** Takes all connections to the database, until the returned function is called. */
async function takeConnections(): Promise<() => Promise<void>> {
  // The service itself gets at most eight of ten connections. The last two are for keys without
  // a connection. All slow keys together get at most five.
  const { db } = app
  const shares = service.databaseUrl
    ? [...Array(8).fill(db), app.dbOf('one'), app.dbOf('another')]
    : [db]
  const taken: (ControlledTransaction<Database> | undefined)[] = shares.map(() => undefined)
  // The service is running, so connections become free one by one. The database closes a
  // transaction that stays idle for ten seconds.
  await until(async () => {
    await Promise.all(
      shares.map(async (share: Db, index) => {
        const held = taken[index]
        if (held) await sql`select 1`.execute(held)
        else
          taken[index] = await share
            .startTransaction()
            .execute()
            .catch(() => undefined)
      }),
    )
    return !taken.includes(undefined)
  })
  return async () => {
    await Promise.all(taken.map((trx) => trx?.rollback().execute()))
  }
}

const countLines = (text: string) => log.filter((line) => line.includes(text)).length

t.test('/ready', async (t) => {
  const admin = await registerAdmin()
  const { scenario_name } = await addScenario(admin, [{ content: 'Now' }])
  const session = await create(admin, { scenario_name })
  await change('startSession', admin, session)
  const reader = await openEvents(service.url, admin, session._id)

  t.test('names the work that has made no progress for 30 seconds, as the log does', async (t) => {
    t.equal((await request('/ready')).status, 200)
    const returnConnections = await takeConnections()
    const stalled: unknown[] = []
    await until(async () => {
      aheadMs += 31_000
      const { status, headers, body } = await request('/ready')
      if (status !== 503) return false
      t.match([headers.get('retry-after'), body.code], ['1', 'unavailable'])
      stalled.push(body.stalled)
      return body.stalled.length === 3
    })
    t.strictSame(stalled.at(-1), ['engine', 'sealer', 'streams'])
    await request('/ready')
    // Work that gives up waiting and begins again changes the list, and the log names the new one.
    const lines = log.filter((line) => /stands still|makes progress again/.test(line))
    const lists = lines.map((line) => JSON.parse(line).stalled?.join() ?? 'none')
    t.ok(lists.length > 0)
    t.strictSame(
      lists.filter((list, i) => list === lists[i - 1]),
      [],
      'the log names a list once',
    )
    await returnConnections()
  })

  t.test('reports success as soon as the work makes progress again', async (t) => {
    await until(async () => (await request('/ready')).status === 200)
    t.equal(countLines('makes progress again'), 1)
  })

  t.test('expects no progress of streams when none is open', async (t) => {
    await reader.leave()
    await until(() => app.sessionStreams.size === 0)
    await until(() => app.sessionStreams.quietMs() === 0)
    aheadMs += 3_600_000
    t.equal(app.sessionStreams.quietMs(), 0)
  })
})
