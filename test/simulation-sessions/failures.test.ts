import { Kysely, PostgresDialect } from 'kysely'
import type { Database } from '../../src/database/schema.js'
import { unavailable } from '../../src/errors.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { notePauses } from '../helpers/noted-pauses.js'
import { refuseRows } from '../helpers/refused-rows.js'
import { auditEvents, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { until } from '../helpers/until.js'

const service = await startService(t, { LOG_LEVEL: 'error' }, { isAlone: true })
const { app, call, db, log, registerAdmin, addMember } = service
const { addScenario, create, change, read, miss, pass, messages, texts, waitForTexts } =
  sessionsOf(service)
const pausesOf = await notePauses(db)
const admin = await registerAdmin()
const member = await addMember(admin.organization_id, 'employee')
const { token } = admin

const at = (drill_minute: number, content: string) => ({ content, metadata: { drill_minute } })
const { scenario_name } = await addScenario(admin, [at(0, 'Now'), at(1, 'One'), at(5, 'Five')])
const participants = [{ user_id: member.user_id }]

type Session = Awaited<ReturnType<typeof create>>

function clockOf({ _id }: Pick<Session, '_id'>) {
  return db
    .selectFrom('simulation_sessions')
    .select(['status', 'failures', 'next_due_at', 'paused_at'])
    .where('organization_id', '=', admin.organization_id)
    .where('_id', '=', _id)
    .executeTakeFirstOrThrow()
}

/** Makes the next try of a session due now. */
async function makeDue({ _id }: Pick<Session, '_id'>): Promise<void> {
  await db
    .updateTable('simulation_sessions')
    .set({ next_due_at: new Date().toISOString() })
    .where('organization_id', '=', admin.organization_id)
    .where('_id', '=', _id)
    .where('next_due_at', 'is not', null)
    .execute()
}

/** Waits until a session has failed, without the pauses between the tries. */
async function failSession(session: Session): Promise<void> {
  await until(async () => {
    await makeDue(session)
    return (await clockOf(session)).status === 'failed'
  })
}

const createDueSession = () =>
  create(admin, { scenario_name, participants, starts_at: new Date().toISOString() })

async function startAndFail() {
  const session = await create(admin, { scenario_name, participants })
  await change('startSession', admin, session)
  const mend = await refuseRows(db, 'session_messages', session._id)
  await miss(session, 1)
  await failSession(session)
  return { session, mend }
}

t.test('A session that fails after the clock of the machine was set back', async (t) => {
  const session = await create(admin, { scenario_name, participants })
  await change('startSession', admin, session)
  await pass(session, 1)
  await waitForTexts(session, 2)
  const mend = await refuseRows(db, 'session_messages', session._id)
  // The last line is due at once.
  await db
    .updateTable('session_plan')
    .set({ offset_ms: 60_000 })
    .where('organization_id', '=', admin.organization_id)
    .where('session_id', '=', session._id)
    .where('position', '=', 2)
    .execute()
  await miss(session, -10)
  await failSession(session)
  const { clock } = await read(admin, session)
  t.ok(Number(clock.elapsed_ms) >= 60_000, 'stops where it stood')
  await mend()
  const retried = await change('retrySession', admin, session)
  t.ok(Number(retried.clock.elapsed_ms) >= Number(clock.elapsed_ms), 'and goes on from there')
})

t.test('A session that cannot start', async (t) => {
  const broken = await create(admin, { scenario_name, participants })
  const mend = await refuseRows(db, 'session_plan', broken._id)
  const params = { session_id: broken._id }
  const body = { starts_at: new Date().toISOString() }
  await call('updateSession', { token, params, body })

  t.test('is tried five times, with longer and longer pauses, and then fails', async (t) => {
    await failSession(broken)
    const pauses = await pausesOf(broken._id)
    t.equal(pauses.length, 4)
    for (const [i, { shortest, longest }] of pauses.entries()) {
      // The database rounds to milliseconds.
      t.ok(shortest < 2 ** i + 0.01 && longest > 2 ** i - 0.01, `${shortest} to ${longest} s`)
    }
    const { failures, next_due_at } = await clockOf(broken)
    t.strictSame([failures, next_due_at], [5, null], 'and is not tried again')
    const sound = await createDueSession()
    t.strictSame(await waitForTexts(sound, 1), ['Now'], 'others continue')
  })

  t.test('shows trainers the reason, without the details in the log', async (t) => {
    const { status, failure, next_due_at, started_at } = await read(admin, broken)
    t.match([status, next_due_at, started_at], ['failed', null, null])
    t.match(failure, { code: 'internal_server_error', detail: /log/ })
    t.notMatch(JSON.stringify(failure), /secret|disk|session_plan/)
    t.ok(log.some((line) => line.includes(String(failure?.request_id)) && /secrets/.test(line)))
    const [event] = await auditEvents(call, admin, { event_type: 'session_failed' })
    const metadata = { code: 'internal_server_error' }
    t.match(event, { case_id: broken._id, status: 'failure', actor_type: 'system', metadata })
  })

  t.test('shows participants no reason', async (t) => {
    const { body } = await call('getSession', { token: member.token, params })
    t.match([body.status, body.failure], ['failed', null])
  })

  t.test('cannot be started, resumed or completed', async (t) => {
    for (const operationId of ['startSession', 'resumeSession', 'pauseSession'] as const) {
      const { status, body } = await call(operationId, { token, params })
      t.match([status, body.code], [409, 'invalid_status_transition'])
      if (operationId !== 'pauseSession') t.match(body.detail, /Call retrySession/)
    }
    const { status, body } = await call('endSession', {
      token,
      params,
      body: { status: 'completed' },
    })
    t.equal(status, 409)
    t.strictSame(body.allowed_statuses, ['running', 'cancelled'])
  })

  t.test('can be changed like before its start, and is not retried then', async (t) => {
    const { body } = await call('updateSession', { token, params, body: { name: 'Wednesday' } })
    t.match(body, { name: 'Wednesday', status: 'failed', next_due_at: null })
  })

  t.test('starts on a retry when the cause is gone', async (t) => {
    t.equal((await call('retrySession', { token, params })).status, 500)
    t.equal((await read(admin, broken)).status, 'failed', 'it stays failed')
    await mend()
    const reason = 'The disk has room again.'
    const { body } = await call('retrySession', { token, params, body: { reason } })
    t.match(body, { status: 'running', failure: null, counts: { posted: 1 } })
    t.equal((await clockOf(broken)).failures, 0)
    const events = await auditEvents(call, admin, { case_id: broken._id })
    t.match(
      events.slice(0, 3).map(({ event_type, metadata }) => [event_type, metadata?.reason]),
      [['message_delivered'], ['session_started', reason], ['session_retried', reason]],
    )
  })
})

t.test('A session that fails because of a limit names the limit', async (t) => {
  await setLimits(db, admin.organization_id, { sessions_running: 0 })
  const session = await createDueSession()
  await failSession(session)
  const { failure } = await read(admin, session)
  t.match(failure, { code: 'quota_exceeded', quota: 'sessions_running', allowed: 0 })
  await setLimits(db, admin.organization_id, { sessions_running: null })
})

t.test('retrySession', async (t) => {
  t.test('continues a session that failed while running, at the same minute', async (t) => {
    const { session, mend } = await startAndFail()
    const { clock } = await read(admin, session)
    t.strictSame(await texts(session), ['Now'])
    t.equal(
      (await read(admin, session)).clock.elapsed_ms,
      clock.elapsed_ms,
      'the clock stands still',
    )
    await mend()
    const retried = await change('retrySession', admin, session)
    t.match(retried, { status: 'running', failure: null, counts: { posted: 2 } })
    t.match(retried.deviations, [{ deviation: 'clock_shifted', session_id: session._id }])
    const [, one] = await messages(session)
    const left = Date.parse(String(retried.next_due_at)) - Date.parse(String(one?.posted_at))
    t.ok(left <= 4 * 60_000 && left > 3 * 60_000, 'later lines keep their distance')
  })

  t.test('is refused when too many sessions are running', async (t) => {
    const { session, mend } = await startAndFail()
    await mend()
    await setLimits(db, admin.organization_id, { sessions_running: 0 })
    const params = { session_id: session._id }
    const { status, body } = await call('retrySession', { token, params })
    t.match([status, body], [409, { code: 'quota_exceeded', quota: 'sessions_running' }])
    await setLimits(db, admin.organization_id, { sessions_running: null })
    t.match(await change('retrySession', admin, session), { status: 'running' })
  })

  t.test('is refused for a session that has not failed', async (t) => {
    const session = await create(admin, { scenario_name })
    const params = { session_id: session._id }
    const { status, body } = await call('retrySession', { token, params })
    t.match([status, body], [409, { code: 'invalid_status_transition', current_status: 'draft' }])
  })
})

t.test('A running session', async (t) => {
  t.test('can be ended after it has failed', async (t) => {
    const { session, mend } = await startAndFail()
    t.ok((await clockOf(session)).paused_at)
    t.match(await change('endSession', admin, session), { status: 'completed', failure: null })
    await mend()
  })

  t.test('does not fail when the database is unavailable', async (t) => {
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    // This is the error of a database session that an administrator ends (SQLSTATE 57P01).
    const mend = await refuseRows(db, 'session_messages', session._id, '57P01')
    await miss(session, 1)
    await until(() => log.some((line) => line.includes(session._id)))
    const { failures, status } = await clockOf(session)
    t.match([failures, status], [0, 'running'])
    await mend()
    t.strictSame(await waitForTexts(session, 2), ['Now', 'One'], 'it continues without a request')
  })

  t.test('does not fail when other requests hold all connections', async (t) => {
    const owner = await registerAdmin()
    const { scenario_name } = await addScenario(owner, [at(0, 'Now'), at(1, 'One')])
    const session = await create(owner, { scenario_name })
    await change('startSession', owner, session)
    const connect = () => Promise.reject(unavailable())
    const pool = { connect, end: async () => {} }
    const busy = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
    const { dbOf } = app
    let requests = 0
    // Five tries find no connection, while the attempts to store the failure would find one.
    const isBusy = () => requests++ % 2 === 0 && requests < 10
    app.dbOf = (key) => (key === owner.organization_id && isBusy() ? busy : dbOf(key))
    t.teardown(() => {
      app.dbOf = dbOf
    })
    await miss(session, 1)
    t.strictSame(await waitForTexts(session, 2), ['Now', 'One'])
    t.ok(requests > 10)
  })
})
