import { sql } from 'kysely'
import type { Schema } from '../../src/contract.js'
import { askFor, openDecisions, said } from '../helpers/decisions.js'
import { openDesk, openEvents } from '../helpers/event-stream.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'
import { until } from '../helpers/until.js'

const service = await startService(t)
const { call, db, url } = service
const { admin, ben, cleo, play, playOf, decide, decisions, ...stage } = await openDecisions(service)
const { change, miss, pass, messages, waitForTexts } = stage

type Event = Schema<'DecisionEvent'>
const brief = ({ beat, status, option, seq }: Event) => [beat, status, option, seq]

t.test('A stream shows each decision directly after its message, once', async (t) => {
  const session = await play()
  const stream = await openEvents(url, ben, session._id)
  await stream.waitForMessages(2)
  await decide(cleo, session, 'recall', { option: 'all', reason: 'It was warm.' })
  await stream.waitForMessages(5)
  await pass(session, 29)
  await stream.waitForMessages(9)
  const { events } = stream
  const kinds = events.flatMap(({ event, data }, i) => {
    if (event === 'message') return data.seq
    if (event !== 'decision') return []
    t.equal(events[i - 1]?.data._id, data.message_id, 'nothing comes between them')
    return data.beat
  })
  t.strictSame(kinds, [1, 2, 'recall', 3, 'recall', 4, 5, 6, 7, 'telling', 8, 'telling', 9])
  t.strictSame(stream.named('decision').map(brief), [
    ['recall', 'open', null, 2],
    ['recall', 'decided', 'all', 3],
    ['telling', 'open', null, 7],
    ['telling', 'lapsed', 'customers', 8],
  ])
  t.match(stream.named('decision')[1], { made_by: cleo.user_id, reason: 'It was warm.' })
  await stream.leave()

  const replay = await openEvents(url, cleo, session._id, { 'last-event-id': '2' })
  await replay.waitForMessages(7)
  t.strictSame(replay.named('decision').map(brief), [
    ['recall', 'decided', 'all', 3],
    ['telling', 'open', null, 7],
    ['telling', 'lapsed', 'customers', 8],
  ])
  await replay.leave()
})

t.test('An early end lets open decisions lapse without an option', async (t) => {
  const session = await play()
  const stream = await openEvents(url, ben, session._id)
  const desk = await openDesk(url, admin)
  await desk.waitForSession(session._id, { status: 'running' })
  await change('endSession', admin, session)
  await stream.waitForEnd()
  const named = stream.events.map(({ event }) => event).slice(-3)
  t.strictSame(named, ['decision', 'status', 'end'])
  t.strictSame(stream.named('decision').map(brief).at(-1), ['recall', 'lapsed', null, 2])
  await desk.waitForSession(session._id, { status: 'completed' })
  t.match(desk.named('decision').at(-1), {
    session_id: session._id,
    status: 'lapsed',
    option: null,
  })
  await desk.leave()
  t.match(await decisions(ben, session), [{ status: 'lapsed', option: null, deadline_at: null }])
  t.match(await decide(ben, session, 'recall', { option: 'all' }), {
    status: 409,
    body: { code: 'decision_lapsed' },
  })
  const { counts } = (await call('getSession', { token: ben.token, params: session.params })).body
  t.match(counts, { decisions_asked: 1, decisions_made: 0, decisions_lapsed: 1 })
})

t.test('A session that ends by its clock lets open decisions lapse too', async (t) => {
  const session = await play({ ends_after_minutes: 14 })
  await pass(session, 14)
  await until(async () => (await decisions(ben, session))[1]?.status === 'lapsed')
  t.match(await decisions(ben, session), [
    { beat: 'recall', status: 'lapsed', option: 'wait' },
    { beat: 'telling', status: 'lapsed', option: null },
  ])
})

t.test('The audit trail records each decision that is asked for, made or lapsed', async (t) => {
  const session = await play()
  await decide(ben, session, 'recall', { option: 'all' })
  await pass(session, 25)
  await waitForTexts(session, 8)
  const events = await auditEvents(call, admin, { category: 'simulation_session' })
  const about = events
    .filter(({ case_id, event_type }) => case_id === session._id && /^decision_/.test(event_type))
    .map(({ event_type, actor_id, metadata }) => [event_type, actor_id, metadata?.beat])
  t.strictSame(about.reverse(), [
    ['decision_asked', null, 'recall'],
    ['decision_made', ben.user_id, 'recall'],
    ['decision_asked', null, 'telling'],
    ['decision_lapsed', null, 'telling'],
  ])
})

t.test('A pause moves the deadline', async (t) => {
  const session = await play()
  const [before] = await decisions(ben, session)
  await change('pauseSession', admin, session)
  // As if the pause had begun ten minutes ago, and the session ten minutes earlier.
  const back = (column: string) => sql<string>`${sql.ref(column)} - interval '10 minutes'`
  await db
    .updateTable('simulation_sessions')
    .set({ anchor_at: back('anchor_at'), paused_at: back('paused_at') })
    .where('_id', '=', session._id)
    .execute()
  await change('resumeSession', admin, session)
  const [after] = await decisions(ben, session)
  t.equal(after?.status, 'open')
  t.ok(String(after?.deadline_at) >= String(before?.deadline_at))
  await pass(session, 6)
  await waitForTexts(session, 3)
  t.match(await decisions(ben, session), [{ status: 'lapsed', option: 'wait' }])
})

t.test('An outage moves the deadline', async (t) => {
  const ask = askFor('recall', ['all', 'wait'], 'wait')
  const session = await playOf([said(0, 'What do we do?', ask(60)), said(2, 'Well?')])
  await miss(session, 90)
  await waitForTexts(session, 2)
  const [open] = await decisions(ben, session)
  t.equal(open?.status, 'open')
  const [, second] = await messages(session)
  const left = Date.parse(String(open?.deadline_at)) - Date.parse(String(second?.posted_at))
  t.equal(left, 58 * 60_000)
})
