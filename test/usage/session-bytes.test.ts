import type { Schema } from '../../src/contract.js'
import { askFor, openDecisions, said } from '../helpers/decisions.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { type Member, startService } from '../helpers/service.js'
import { openStage, type Play } from '../helpers/stage.js'
import { until } from '../helpers/until.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, db } = service
const stage = await openDecisions(service)
const { admin, ben, addScenario, create, change, play, playOf, post, decide, decisions } = stage
const { organization_id } = admin
const exceeded = { status: 409, body: { code: 'quota_exceeded', quota: 'session_bytes' } }
/** How many bytes a message counts as, besides its text. */
const row = 300

async function used({ token, organization_id } = admin): Promise<number> {
  const { body } = await call('getUsage', { token, params: { organization_id } })
  const limits: Schema<'UsageLimit'>[] = body.limits
  return limits.find(({ name }) => name === 'session_bytes')?.used ?? Number.NaN
}

/** Returns by how much the used bytes change while `act` runs. */
async function changeOf(act: () => Promise<unknown>, of = admin): Promise<number> {
  const before = await used(of)
  await act()
  return (await used(of)) - before
}

async function planLines({ _id }: Pick<Play, '_id'>): Promise<number> {
  const { rows } = await db
    .selectFrom('session_plan')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('organization_id', '=', organization_id)
    .where('session_id', '=', _id)
    .executeTakeFirstOrThrow()
  return rows
}

/** Sets the limit to what is used and this many bytes more, until the test ends. */
async function allowMore(t: { teardown(after: () => unknown): void }, bytes: number) {
  await setLimits(db, organization_id, { session_bytes: (await used()) + bytes })
  t.teardown(() => setLimits(db, organization_id, { session_bytes: null }))
}

t.test('The bytes of sessions', async (t) => {
  t.test('grow with messages, private words and notes', async (t) => {
    const session = await play()
    const { params } = session
    const as = ({ token }: Member, body: object) => ({ token, params, body })
    const text = 'Zoë '.repeat(10).trim()
    const bytes = Buffer.byteLength(text)
    const message = { content: text, client_message_id: 'mine' }
    t.equal(await changeOf(() => post(ben, session, message)), row + bytes + 4)
    t.equal(await changeOf(() => call('askTrainer', as(ben, { content: text }))), row + bytes)
    let note_id = ''
    t.equal(
      await changeOf(async () => {
        note_id = (await call('createSessionNote', as(admin, { content: text }))).body._id
      }),
      row + bytes,
    )
    const remove = { token: admin.token, params: { ...params, note_id } }
    t.equal(await changeOf(() => call('deleteSessionNote', remove)), -(row + bytes))
  })

  t.test('grow with ratings, by what is new in them', async (t) => {
    const { hr, session, ...other } = await openWorkplace(service)
    const params = { session_id: await session({}, 'startSession') }
    const rate = (comment: string) => async () => {
      const ratings = [{ criterion: 'Tell those affected', value: 4, comment }]
      const answer = await call('rateSession', { token: hr.token, params, body: { ratings } })
      t.equal(answer.status, 200)
    }
    // The value, the quotation marks of the comment and its text.
    t.equal(await changeOf(rate('Well.'), other.admin), row + 1 + 2 + 5)
    t.equal(await changeOf(rate('Well.'), other.admin), 0, 'the same rating again')

    const { organization_id } = other.admin
    await setLimits(db, organization_id, { session_bytes: await used(other.admin) })
    const fresh = await startService(t, {})
    await t.rejects(fresh.app.usage.sessionBytes.take(organization_id, 2 ** 40))
    const ratings = [{ criterion: 'Tell those affected', value: 5 }]
    const body = { ratings }
    t.match(await fresh.call('rateSession', { token: hr.token, params, body }), exceeded)
  })

  t.test('grow with what the service posts', async (t) => {
    const session = await play()
    const decision = () => decide(ben, session, 'recall', { option: 'all', reason: 'Safe.' })
    t.ok((await changeOf(decision)) > 3 * row, 'the decision, an acknowledgement and its reply')
  })

  t.test(
    'have the plan of a session until it ends, is cancelled, or its time is over',
    async (t) => {
      const before = await used()
      const session = await play()
      const plan = (await used()) - before
      t.ok(plan > 10 * row, 'the plan, and what is posted at once')
      const lines = await planLines(session)
      t.equal(lines, 10, 'eight messages in the channel and two replies')
      t.ok((await changeOf(() => change('endSession', admin, session))) < -lines * row)
      t.equal(await planLines(session), 0)

      const cancelled = await play()
      const { params } = cancelled
      const cancel = { token: admin.token, params, body: { status: 'cancelled' } }
      t.equal((await call('endSession', cancel)).body.status, 'cancelled')
      t.equal(await planLines(cancelled), 0)

      const short = await playOf(() => [said(0, 'Hello.', askFor('one', ['a', 'b'], 'a')(5))], {
        ends_after_minutes: 1,
        speed: 60,
      })
      await until(async () => (await planLines(short)) === 0)
      const { body } = await call('getSession', { token: admin.token, params: short.params })
      t.equal(body.status, 'completed')
    },
  )
})

t.test(
  'After the end trainers see the decisions, and no more what would have followed',
  async (t) => {
    const session = await play()
    await decide(ben, session, 'recall', { option: 'all' })
    await change('endSession', admin, session)
    const [recall, ...others] = await decisions(admin, session)
    t.match(recall, { beat: 'recall', status: 'decided', option: 'all', fallback_option: 'wait' })
    t.match(recall?.options, [{ follows: null }, { follows: null }])
    t.strictSame(others, [], 'nothing is planned any more')
  },
)

t.test('The limit of bytes', async (t) => {
  t.test('refuses a start whose plan and messages have no room, and says so before', async (t) => {
    const session = await play()
    const { scenario_name } = (await call('getSession', { token: admin.token, ...session })).body
    const draft = await create(admin, { scenario_name, participants: [{ user_id: ben.user_id }] })
    const params = { session_id: draft._id }
    await allowMore(t, 11 * row)
    const { body } = await call('getSessionReadiness', { token: admin.token, params })
    const [limits] = body.checks.filter(({ check }: { check: string }) => check === 'limits')
    t.match(limits, { passed: false, message: /session_bytes/ })
    t.match(await call('startSession', { token: admin.token, params }), exceeded)
    t.equal(await planLines(draft), 0)
    await setLimits(db, organization_id, { session_bytes: null })
    t.equal((await call('startSession', { token: admin.token, params })).status, 200)
  })

  t.test('refuses messages, decisions, private words and notes', async (t) => {
    const session = await play()
    await allowMore(t, 0)
    // Another process, which waits here until it has counted.
    const { app, call } = await startService(t, {})
    await t.rejects(app.usage.sessionBytes.take(organization_id, 2 ** 40))
    const as = ({ token }: Member, body: object, params = {}) => {
      return { token, params: { ...session.params, ...params }, body }
    }
    const message = { conversation_id: session.home, content: 'Why?', client_message_id: 'c' }
    t.match(await call('postSessionMessage', as(ben, message)), exceeded)
    const decision = as(ben, { option: 'all' }, { beat: 'recall' })
    t.match(await call('makeDecision', decision), exceeded)
    t.match(await call('askTrainer', as(ben, { content: 'Why?' })), exceeded)
    t.match(await call('createSessionNote', as(admin, { content: 'Calm.' })), exceeded)
    const reading = { token: ben.token, params: session.params }
    t.equal((await call('listSessionMessages', reading)).status, 200)
    for (const one of ['pauseSession', 'resumeSession', 'endSession'] as const) {
      t.equal((await call(one, { token: admin.token, params: session.params })).status, 200)
    }
    const { params } = await started()
    const note = { token: admin.token, params, body: { content: 'Calm.' } }
    t.match(await service.call('createSessionNote', note), { status: 201 }, 'the end has made room')
  })
})

/** A session with a short plan, which has room after another one has ended. */
async function started(): Promise<Play> {
  const { scenario_name } = await addScenario(admin, [said(0, 'Hello.'), said(600, 'Bye.')])
  const { _id } = await create(admin, {
    scenario_name,
    participants: [{ user_id: ben.user_id }],
  })
  await stage.join(_id, ben)
  const { conversations } = await change('startSession', admin, { _id })
  const home = conversations[0]?.conversation_id ?? ''
  return { _id, home, away: '', params: { session_id: _id } }
}

t.test('One session stores only its share of the bytes', async (t) => {
  // The limits of a new organization are not cached yet.
  const { admin, ben, play, post } = await openStage(service)
  await setLimits(db, admin.organization_id, { bytes_per_session: 8_000 })
  const [full, other] = [await play(), await play()]
  const content = 'x'.repeat(4_000)
  const quota = { code: 'quota_exceeded', quota: 'bytes_per_session', allowed: 6_000 }
  t.equal((await post(ben, full, { content })).status, 201)
  t.match(await post(ben, full, { content }), { status: 409, body: quota })
  const asked = { token: ben.token, params: full.params, body: { content } }
  t.match(await call('askTrainer', asked), { status: 409, body: quota })
  t.equal((await post(ben, other, { content })).status, 201)
})
