import { sql } from 'kysely'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { skipUnlessServer } from '../helpers/skips.js'
import { until } from '../helpers/until.js'

const service = await startService(t, {}, { isAlone: true })
const { db, registerAdmin } = service
const { addScenario, create, change, messages, pass, read } = sessionsOf(service)

/** Sessions that are all scheduled for one instant. */
async function insertScheduled(
  { organization_id }: Member,
  count: number,
  starts_at: string,
  scenario_name = 'empty',
) {
  const one = { organization_id, name: 'Due', scenario_name, starts_at }
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

t.test('Organizations take turns, even when many sessions of one are due', async (t) => {
  const many = await registerAdmin()
  const few = await registerAdmin()
  await insertScheduled(many, 300, '2026-11-20T08:00:00.000Z')
  await insertScheduled(few, 2, new Date().toISOString())
  await until(async () => (await startedInOrder()).length === 302)
  const place = (await startedInOrder()).lastIndexOf(few.organization_id)
  t.ok(place < 200, `the other organization is number ${place}`)
})

t.test('Due sessions are read while one organization has a long queue', async (t) => {
  const many = await registerAdmin()
  const few = await registerAdmin()
  const before = (await startedInOrder()).length
  await insertScheduled(many, 1_500, '2026-11-20T08:00:00.000Z')
  await until(async () => (await startedInOrder()).length > before)
  await insertScheduled(few, 1, new Date().toISOString())
  await until(async () => (await startedInOrder()).includes(few.organization_id))
  const started = (await startedInOrder()).length - before
  t.ok(started < 1_500, `it started after ${started} sessions`)
})

t.test(
  'Sessions that cannot start yet do not delay messages of others',
  { skip: skipUnlessServer },
  async (t) => {
    const [first, second, other] = [
      await registerAdmin(),
      await registerAdmin(),
      await registerAdmin(),
    ]
    const slow = await Promise.all([first, second].map((one) => addScenario(one, [{}])))
    const message = { metadata: { drill_minute: 1 } }
    const { scenario_name } = await addScenario(other, [message])
    const session = await create(other, { scenario_name })
    await change('startSession', other, session)
    const cast = slow.map(({ character_id }) => character_id)
    await db.transaction().execute(async (trx) => {
      await sql`select from users where _id = any(${cast}::uuid[]) for update`.execute(trx)
      const now = new Date().toISOString()
      for (const [i, { scenario_name }] of slow.entries()) {
        const owner = [first, second][i]
        if (owner) await insertScheduled(owner, 4, now, scenario_name)
      }
      await until(async () => (await waitingForLock()).length >= 4)
      const waiting = await waitingForLock()
      await pass(session, 1)
      await until(async () => (await messages(session)).length === 1)
      t.match(await waitingForLock(), waiting, 'the others still wait')
    })
  },
)

/** The statements that wait for a lock, sorted by their start. */
async function waitingForLock(): Promise<string[]> {
  const { rows } = await sql<{ began: string }>`
    select query_start::text as began from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' order by query_start`.execute(
    db,
  )
  return rows.map(({ began }) => began)
}

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
