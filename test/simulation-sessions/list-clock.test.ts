import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, registerAdmin, addMember } = service
const { addScenario, create, change, read, pass } = sessionsOf(service)

type Listed = Schema<'ListedSession'>
type Session = Pick<Listed, '_id'>

const minuteMs = 60_000

async function listed({ token }: Member, { _id }: Session, query = {}): Promise<Listed> {
  const { body } = await call('listSessions', { token, query })
  return body.find((one: Listed) => one._id === _id)
}

/** The position of a running clock at a later time. */
const elapsedAt = ({ clock, speed }: Schema<'SimulationSession'> | Listed, as_of: string) =>
  Number(clock.elapsed_ms) + (Date.parse(as_of) - Date.parse(clock.as_of)) * speed

t.test('The clock in a list of sessions', async (t) => {
  const admin = await registerAdmin()
  const { scenario_name } = await addScenario(admin, [{ content: 'Now', offset_hours: 0 }])
  const external = { scenario_name, mode: 'external', ends_after_minutes: 60 }

  t.test('is the clock of the session, at normal and at higher speed', async (t) => {
    for (const speed of [1, 7]) {
      const session = await create(admin, { ...external, speed })
      t.match(await listed(admin, session), { clock: { elapsed_ms: null }, ends_at: null })
      await change('startSession', admin, session)
      await pass(session, 2)
      const whole = await read(admin, session)
      const one = await listed(admin, session)
      t.ok(Number(whole.clock.elapsed_ms) >= 2 * minuteMs * speed)
      t.ok(one.clock.as_of >= whole.clock.as_of)
      t.equal(one.clock.elapsed_ms, elapsedAt(whole, one.clock.as_of))
      t.equal(one.ends_at, whole.ends_at)
      const left = 60 * minuteMs - Number(one.clock.elapsed_ms)
      const ends_in = Date.parse(String(one.ends_at)) - Date.parse(one.clock.as_of)
      t.equal(ends_in, Math.ceil(left / speed))
    }
  })

  t.test('stands still in a pause and after the end, and then has no end time', async (t) => {
    const session = await create(admin, { ...external, speed: 3 })
    await change('startSession', admin, session)
    await pass(session, 1)
    for (const step of ['pauseSession', 'endSession'] as const) {
      await change(step, admin, session)
      const whole = await read(admin, session)
      const one = await listed(admin, session)
      t.ok(Number(whole.clock.elapsed_ms) >= 3 * minuteMs)
      t.equal(one.clock.elapsed_ms, whole.clock.elapsed_ms, step)
      t.strictSame([whole.ends_at, one.ends_at], [null, null])
    }
    const other = await create(admin, { ...external, speed: 3 })
    await change('startSession', admin, other)
    await change('endSession', admin, other)
    const { clock } = await read(admin, other)
    t.equal((await listed(admin, other)).clock.elapsed_ms, clock.elapsed_ms, 'ended while running')
  })

  t.test('continues after a pause where it stood, and ends later', async (t) => {
    const session = await create(admin, external)
    const before = await change('startSession', admin, session)
    await change('pauseSession', admin, session)
    await change('resumeSession', admin, session)
    const whole = await read(admin, session)
    const one = await listed(admin, session)
    t.equal(one.clock.elapsed_ms, elapsedAt(whole, one.clock.as_of))
    t.equal(one.ends_at, whole.ends_at)
    t.ok(String(one.ends_at) >= String(before.ends_at))
  })

  t.test('is the same in a list of all organizations', async (t) => {
    const operator = await addMember(admin.organization_id, 'super_admin')
    const session = await create(admin, { ...external, participants: [operator] })
    await change('startSession', admin, session)
    const { clock, ...all } = await listed(operator, session)
    const { clock: own, ...rest } = await listed(admin, session)
    t.ok(own.as_of >= clock.as_of)
    const since = Date.parse(own.as_of) - Date.parse(clock.as_of)
    t.strictSame(
      { ...all, elapsed_ms: Number(clock.elapsed_ms) + since },
      {
        ...rest,
        elapsed_ms: own.elapsed_ms,
      },
    )
    const mine = await listed(operator, session, {
      participant: 'me',
      status: ['running', 'paused'],
    })
    t.match(mine, { ...all, messages: 0 })
  })
})

t.test('The end of a session', async (t) => {
  const { admin, ben, cleo, rater, join, session } = await openWorkplace(service)

  /** The end as a user sees it, in the list and in the session. */
  async function endFor(member: Member, _id: string) {
    const whole = await read(member, { _id })
    const one = await listed(member, { _id })
    t.equal(one.ends_at, whole.ends_at, 'the list and the session show the same end')
    return whole.ends_at
  }

  const people = { participants: [{ user_id: ben.user_id }], rater_ids: [rater.user_id] }

  t.test('is visible to all when it is the same in both arms', async (t) => {
    for (const fields of [{}, { timing: 'calendar' as const, ends_after_minutes: 600 }]) {
      const _id = await session({ ...people, ...fields }, 'startSession')
      const end = await endFor(admin, _id)
      t.ok(end)
      for (const one of [ben, rater]) t.equal(await endFor(one, _id), end)
    }
  })

  t.test('is visible only to trainers when the plan decides it', async (t) => {
    const _id = await session({ ...people, timing: 'calendar' }, 'startSession')
    t.ok(await endFor(admin, _id))
    for (const one of [ben, rater]) t.equal(await endFor(one, _id), null)
  })

  t.test('is null when nothing ends the session automatically', async (t) => {
    const _id = await session({ ...people, mode: 'external' }, 'startSession')
    t.equal(await endFor(admin, _id), null)
  })

  t.test('is listed with the number of messages', async (t) => {
    const _id = await session({ ...people, mode: 'external' }, 'startSession')
    await join(ben, _id)
    const [conversation] = (await read(admin, { _id })).conversations
    for (const number of [1, 2]) {
      const body = { conversation_id: conversation?.conversation_id, content: `No. ${number}` }
      const message = { ...body, client_message_id: `${number}` }
      const params = { session_id: _id }
      const posted = await call('postSessionMessage', { token: ben.token, params, body: message })
      t.equal(posted.body.seq, number)
      t.equal((await listed(ben, { _id })).messages, number)
    }
    t.equal(await listed(cleo, { _id }), undefined)
  })
})
