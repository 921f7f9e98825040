import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { openDatabase } from '../../src/database/open.js'
import type { Database } from '../../src/database/schema.js'
import { t } from '../helpers/file.js'
import { emptyPlace, person, send, start, stopEverything } from '../helpers/process.js'
import { until } from '../helpers/until.js'

t.teardown(stopEverything)

const JWT_SECRET = 'a-secret-for-tests-32-bytes-long'
const place = { ...(await emptyPlace(t, { isMigrated: true })), JWT_SECRET }
const databaseUrl = place.DATABASE_URL ?? null
const skip = databaseUrl ? false : 'one process owns the embedded database'

const sessions = 120
const kills = 4
/** The number of lines in each session that are due at the same time. */
const linesAtOnce = 3
const lines = kills * linesAtOnce
const hourMs = 3_600_000
const readers = 6
/** The number of sessions whose lines are held back until the kill. */
const heldBack = 20

/** Running sessions with a few lines each hour. */
async function insertSessions(db: Kysely<Database>, organization_id: string): Promise<string[]> {
  const end_offset_ms = (kills + 1) * hourMs
  await sql`
    insert into simulation_sessions (organization_id, _id, name, scenario_name, timing, speed, mode,
      status, started_at, planned, anchor_at, end_offset_ms, next_offset_ms, next_due_at)
    select ${organization_id}::uuid, gen_random_uuid(), 'Crash', 'crash', 'drill', 1, 'scripted',
      'running', now(), ${lines}::integer, now(), ${end_offset_ms}::bigint, ${hourMs}::bigint,
      now() + interval '1 hour'
    from generate_series(1, ${sessions}::integer)`.execute(db)
  await sql`
    insert into session_plan (organization_id, session_id, position, offset_ms, conversation_id,
      channel_id, sender_id, content)
    select organization_id, _id, position,
      (position / ${linesAtOnce}::integer + 1)::bigint * ${hourMs}::bigint, _id, _id,
      'somebody', 'Line ' || position
    from simulation_sessions cross join generate_series(0, ${lines - 1}::integer) as position
    where organization_id = ${organization_id}::uuid`.execute(db)
  const rows = await db.selectFrom('simulation_sessions').select('_id').orderBy('_id').execute()
  return rows.map(({ _id }) => _id)
}

/** The key of an advisory lock. */
const gate = 19_380_517

/** Lets each transaction that posts in one of these sessions wait while the gate is closed. */
async function addGate(db: Kysely<Database>, session_ids: string[]): Promise<void> {
  await sql`
    create function pass_gate() returns trigger language plpgsql as ${sql.lit(`begin
      if new.session_id = any('{${session_ids.join()}}'::uuid[]) then
        perform pg_advisory_xact_lock_shared(${gate});
      end if;
      return new;
    end`)}`.execute(db)
  await sql`
    create trigger pass_gate before insert on session_messages for each row
      execute function pass_gate()`.execute(db)
}

/** Whether a process waits at the gate, in the middle of a transaction. */
async function isAtGate(db: Kysely<Database>, process: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database()
      and application_name = ${process} and wait_event = 'advisory'`.execute(db)
  return rows.length > 0
}

/** Sets the clocks of all sessions to the given hour. */
async function goTo(db: Kysely<Database>, organization_id: string, hour: number): Promise<void> {
  const instant = (ms: number) => new Date(ms).toISOString()
  await db
    .updateTable('simulation_sessions')
    .set({ anchor_at: instant(Date.now() - hour * hourMs), next_due_at: instant(Date.now()) })
    .where('organization_id', '=', organization_id)
    .execute()
}

interface Reader {
  session_id: string
  token: string
  /** Returns the address of the process to read from next. */
  nextBase(): string
}

/** How many readers have a stream open. */
let openStreams = 0

/** Reads a stream to its end, reconnecting after each cut. Returns the event ids and the cuts. */
async function follow({ session_id, token, nextBase }: Reader) {
  const ids: string[] = []
  let cuts = 0
  for (let isOver = false; !isOver; ) {
    const last = ids.at(-1)
    const headers = {
      authorization: `Bearer ${token}`,
      ...(last !== undefined && { 'last-event-id': last }),
    }
    const url = `${nextBase()}/api/v1/simulation/sessions/${session_id}/events`
    let isOpen = false
    try {
      const response = await fetch(url, { headers })
      isOpen = response.ok
      if (isOpen) openStreams++
      let text = ''
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const events = `${text}${piece}`.split('\n\n')
        // An incomplete event does not count.
        text = events.pop() ?? ''
        ids.push(...events.flatMap((event) => /^id: (\d+)$/m.exec(event)?.[1] ?? []))
      }
      isOver = isOpen
    } catch {
      if (isOpen) cuts++
      await sleep(20)
    } finally {
      if (isOpen) openStreams--
    }
  }
  return { ids, cuts }
}

const oneTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

t.test('When one of two processes is killed again and again', { skip }, async (t) => {
  const startProcess = (i: number) => start({ ...place, PGAPPNAME: `process ${i}` })
  const services = [startProcess(0), startProcess(1)]
  const bases = await Promise.all(services.map(({ address }) => address()))
  const { body: admin } = await send(bases[0] ?? '', '/auth/register', person('ada@play.example'))
  const { organization_id, access_token: token } = admin
  const db = await openDatabase({ databaseUrl, dataDir: '', databasePoolMax: 2 }, () => {})
  t.teardown(() => db.destroy())

  const selectMessages = () =>
    db
      .selectFrom('session_messages')
      .select(['session_id', '_id', 'seq', 'plan_position'])
      .where('organization_id', '=', organization_id)
      .orderBy('session_id')
      .orderBy('seq')
      .execute()
  const selectUnfinished = () =>
    db
      .selectFrom('simulation_sessions')
      .select('_id')
      .where('organization_id', '=', organization_id)
      .where('status', '!=', 'completed')
      .execute()
  const waitForPosted = (count: number) =>
    until(async () => (await selectMessages()).length >= count)

  /** Kills a process and replaces it with a new one. */
  async function kill(one: number, look: () => Promise<unknown>): Promise<void> {
    services[one]?.process.kill('SIGKILL')
    await Promise.all([look(), services[one]?.exit])
    const next = startProcess(one)
    services[one] = next
    bases[one] = await next.address()
  }

  const session_ids = await insertSessions(db, organization_id)
  await addGate(db, session_ids.slice(-heldBack))
  const following = session_ids.slice(0, readers).map((session_id, i) => {
    let at = i
    return follow({ session_id, token, nextBase: () => bases[at++ % 2] ?? '' })
  })
  const postedAtKill: number[] = []
  for (let round = 0; round < kills; round++) {
    const before = sessions * linesAtOnce * round
    const one = round % 2
    await until(() => openStreams === readers)
    await db.connection().execute(async (keeper) => {
      await sql`select pg_advisory_lock(${gate})`.execute(keeper)
      await goTo(db, organization_id, round + 1)
      await waitForPosted(before + 1)
      await until(() => isAtGate(db, `process ${one}`))
      await kill(one, async () => {
        postedAtKill.push((await selectMessages()).length - before)
        await sql`select pg_advisory_unlock(${gate})`.execute(keeper)
      })
    })
    await waitForPosted(before + sessions * linesAtOnce)
  }
  await goTo(db, organization_id, kills + 1)
  await until(async () => (await selectUnfinished()).length === 0)
  const read = await Promise.all(following)
  const messages = await selectMessages()
  const messagesOf = (_id: string) => messages.filter(({ session_id }) => session_id === _id)

  t.test('every line of every plan is posted once, in order and without a gap', async (t) => {
    t.equal(postedAtKill.length, kills)
    t.ok(
      postedAtKill.every((count) => count < sessions * linesAtOnce),
      'each process was killed in the middle of the lines',
    )
    for (const session_id of session_ids) {
      const posted = messagesOf(session_id)
      t.strictSame(
        posted.map(({ seq }) => seq),
        oneTo(lines),
      )
      t.strictSame(
        posted.map(({ plan_position }) => Number(plan_position) + 1),
        oneTo(lines),
      )
    }
  })

  t.test('the trail has one event for each message and for each end', async (t) => {
    const events = await db
      .selectFrom('audit_events')
      .select(['event_type', 'case_id', 'thread_id'])
      .where('organization_id', '=', organization_id)
      .where('category', '=', 'simulation_session')
      .execute()
    const eventsOf = (event_type: string) => events.filter((one) => one.event_type === event_type)
    t.strictSame(
      eventsOf('message_delivered')
        .map(({ thread_id }) => thread_id)
        .sort(),
      messages.map(({ _id }) => _id).sort(),
    )
    t.strictSame(
      eventsOf('session_completed')
        .map(({ case_id }) => case_id)
        .sort(),
      session_ids,
    )
    t.equal(events.length, messages.length + session_ids.length)
  })

  t.test('every reader receives everything exactly once', async (t) => {
    for (const { ids } of read) t.strictSame(ids.map(Number), oneTo(lines))
    t.ok(read.some(({ cuts }) => cuts > 1))
    t.ok(
      read.every(({ cuts }) => cuts > 0),
      'every reader was cut off',
    )
  })
})
