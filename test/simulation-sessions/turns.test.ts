import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Test } from 'tap'
import type { Database, Db } from '../../src/database/schema.js'
import { unavailable } from '../../src/errors.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { until } from '../helpers/until.js'

const service = await startService(t, {}, { isAlone: true })
const { app, db, registerAdmin } = service
const { addScenario, create, change, messages, pass, read } = sessionsOf(service)

/** Sessions that are all scheduled for one instant. */
async function insertScheduled(
  db: Db,
  { organization_id }: Member,
  count: number,
  starts_at: string,
) {
  const one = { organization_id, name: 'Due', scenario_name: 'empty', starts_at }
  const rows = Array.from({ length: count }, () => ({
    ...one,
    _id: createId(),
    next_due_at: starts_at,
    status: 'scheduled' as const,
    timing: 'drill' as const,
    speed: 1,
    mode: 'external' as const,
  }))
  await db.insertInto('simulation_sessions').values(rows).execute()
}

/** The organization of each started session, in order of the start. */
async function startedInOrder(): Promise<string[]> {
  const rows = await db
    .selectFrom('simulation_sessions')
    .select('organization_id')
    .where('started_at', 'is not', null)
    .orderBy('started_at')
    .execute()
  return rows.map(({ organization_id }) => organization_id)
}

/**
 * Lets each session of some organizations wait for a connection until `release`. Then it finds none, and
 * the next tick tries again.
 */
function holdSessions(t: Test, members: Member[]) {
  const held = new Set(members.map(({ organization_id }) => organization_id))
  const waiting: ((error: Error) => void)[] = []
  const connect = () => new Promise<never>((_, reject) => waiting.push(reject))
  const pool = { connect, end: async () => {} }
  const slow = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const { dbOf } = app
  app.dbOf = (key) => (held.has(key) ? slow : dbOf(key))
  const release = () => {
    app.dbOf = dbOf
    for (const refuse of waiting) refuse(unavailable())
  }
  // A test that fails before it releases them would leave sessions that never end.
  t.teardown(release)
  return { waiting: () => waiting.length, release }
}

// The first test, since it needs all turns: others leave some in progress for a moment.
t.test('Sessions that cannot start yet do not delay messages of others', async (t) => {
  const [first, second, other] = [
    await registerAdmin(),
    await registerAdmin(),
    await registerAdmin(),
  ]
  const message = { metadata: { drill_minute: 1 } }
  const { scenario_name } = await addScenario(other, [message])
  const session = await create(other, { scenario_name })
  await change('startSession', other, session)
  const { waiting, release } = holdSessions(t, [first, second])
  await db.transaction().execute(async (trx) => {
    const now = new Date().toISOString()
    for (const owner of [first, second]) await insertScheduled(trx, owner, 4, now)
  })
  await until(() => waiting() === 4)
  await pass(session, 1)
  await until(async () => (await messages(session)).length === 1)
  t.equal(waiting(), 4, 'the others still wait')
  release()
  await until(async () => (await startedInOrder()).length === 9)
})

t.test('Organizations take turns, even when many sessions of one are due', async (t) => {
  const many = await registerAdmin()
  const few = await registerAdmin()
  const before = (await startedInOrder()).length
  await db.transaction().execute(async (trx) => {
    await insertScheduled(trx, many, 300, '2026-11-20T08:00:00.000Z')
    await insertScheduled(trx, few, 2, new Date().toISOString())
  })
  await until(async () => (await startedInOrder()).length === before + 302)
  const place = (await startedInOrder()).lastIndexOf(few.organization_id) - before
  t.ok(place < 200, `the other organization is number ${place}`)
})

t.test('Due sessions are read and started while one organization has a long queue', async (t) => {
  const many = await registerAdmin()
  const few = await registerAdmin()
  const before = (await startedInOrder()).length
  const { waiting, release } = holdSessions(t, [many])
  await insertScheduled(db, many, 50, '2026-11-20T08:00:00.000Z')
  await until(() => waiting() > 0)
  await insertScheduled(db, few, 1, new Date().toISOString())
  await until(async () => (await startedInOrder()).includes(few.organization_id))
  t.notOk((await startedInOrder()).includes(many.organization_id), 'the queue still waits')
  release()
  await until(async () => (await startedInOrder()).length === before + 51)
})

/** The number of messages that each transaction posted in a session. */
async function linesByTransaction(session_id: string): Promise<number[]> {
  const { rows } = await sql<{ lines: number }>`
    select count(*)::integer as lines from session_messages
    where session_id = ${session_id} group by xmin::text order by lines`.execute(db)
  return rows.map(({ lines }) => lines)
}

t.test('A long history is posted in several transactions', async (t) => {
  const admin = await registerAdmin()
  const history = Array.from({ length: 450 }, (_, i) => ({ content: `${i}`, offset_hours: -24 }))
  const { scenario_name } = await addScenario(admin, history)
  const session = await create(admin, { scenario_name })
  const { counts } = await change('startSession', admin, session)
  t.equal(counts.posted, 450, 'all lines are posted before the answer')
  t.strictSame(await linesByTransaction(session._id), [50, 200, 200])
  t.strictSame(
    (await messages(session)).map(({ content }) => content),
    history.map(({ content }) => content),
  )
  t.strictSame((await read(admin, session)).deviations, [])
})

t.test('A transaction takes fewer lines of a history when they are long', async (t) => {
  const admin = await registerAdmin()
  const content = 'x'.repeat(10_000)
  const history = Array.from({ length: 150 }, () => ({ content, offset_hours: -24 }))
  const { scenario_name } = await addScenario(admin, history)
  const session = await create(admin, { scenario_name })
  t.equal((await change('startSession', admin, session)).counts.posted, 150)
  t.strictSame(await linesByTransaction(session._id), [46, 104])
})
