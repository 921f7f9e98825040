import { type ControlledTransaction, sql } from 'kysely'
import type { Database, Db } from '../src/database/schema.js'
import { openEvents } from './helpers/event-stream.js'
import { t } from './helpers/file.js'
import { startService } from './helpers/service.js'
import { sessionsOf } from './helpers/sessions.js'
import { until } from './helpers/until.js'

/** How much later it is for the service than it really is. */
let later = 0
const service = await startService(
  t,
  { LOG_LEVEL: 'warn' },
  { isAlone: true, clock: () => performance.now() + later },
)
const { app, log, request, registerAdmin } = service
const { addScenario, create, change } = sessionsOf(service)

/** Takes all connections to the database, until the returned function is called. */
async function takeConnections(): Promise<() => Promise<void>> {
  // The service gets eight of ten, and the last two are for keys that have none. Other keys that
  // hold theirs for long get five together.
  const { db } = app
  const shares = service.databaseUrl
    ? [...Array(8).fill(db), app.dbOf('one'), app.dbOf('another')]
    : [db]
  const taken: (ControlledTransaction<Database> | undefined)[] = shares.map(() => undefined)
  // The service works on meanwhile, so what is free comes bit by bit. The database closes a
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

const told = (text: string) => log.filter((line) => line.includes(text)).length

t.test('/ready', async (t) => {
  const admin = await registerAdmin()
  const { scenario_name } = await addScenario(admin, [{ content: 'Now' }])
  const session = await create(admin, { scenario_name })
  await change('startSession', admin, session)
  const reader = await openEvents(service.url, admin, session._id)

  t.test('says which work has not come round for 30 seconds, and the log does', async (t) => {
    t.equal((await request('/ready')).status, 200)
    const giveBack = await takeConnections()
    const stalled: unknown[] = []
    await until(async () => {
      later += 31_000
      const { status, headers, body } = await request('/ready')
      if (status !== 503) return false
      t.match([headers.get('retry-after'), body.code], ['1', 'unavailable'])
      stalled.push(body.stalled)
      return body.stalled.length === 3
    })
    t.strictSame(stalled.at(-1), ['engine', 'sealer', 'streams'])
    const before = told('stands still')
    await request('/ready')
    t.ok(before > 0)
    t.equal(told('stands still'), before, 'once')
    await giveBack()
  })

  t.test('says that all is well as soon as it comes round again', async (t) => {
    await until(async () => (await request('/ready')).status === 200)
    t.equal(told('makes progress again'), 1)
  })

  t.test('does not miss looks for streams that there are not', async (t) => {
    await reader.leave()
    await until(() => app.sessionStreams.size === 0)
    await until(() => app.sessionStreams.quietMs() === 0)
    later += 3_600_000
    t.equal(app.sessionStreams.quietMs(), 0)
  })
})
