import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t)
const { call, addMember } = service
const { admin, organization_id, bot, ben, cleo, draft, join, play, post, list, change } =
  await openStage(service)
const hr = await addMember(organization_id, 'hr')
const rater = await addMember(organization_id, 'executive')
const stranger = await addMember(organization_id, 'employee')

const faultsOf = ({ body }: { body: { detail: { loc: string[]; type: string }[] } }) =>
  body.detail.map(({ loc, type }) => `${loc[1]} ${type}`)

t.test('postSessionMessage', async (t) => {
  t.test('numbers the messages of a session without gaps', async (t) => {
    const session = await play()
    const first = await post(ben, session, {
      content: 'Who has the badges?',
      client_message_id: 'a',
    })
    t.equal(first.status, 201)
    t.match(first.body, {
      seq: 1,
      session_id: session._id,
      conversation_id: session.home,
      thread_id: null,
      sender_id: ben.user_id,
      sender_kind: 'participant',
      content: 'Who has the badges?',
      kind: null,
      beat: null,
      injected: null,
      plan_position: null,
      client_message_id: 'a',
    })
    const thread_id = first.body._id
    const reply = await post(cleo, session, { thread_id })
    t.match(reply.body, { seq: 2, thread_id, channel_id: first.body.channel_id })
    const many = await Promise.all([1, 2, 3, 4, 5, 6].map((i) => post(i % 2 ? ben : cleo, session)))
    t.strictSame(many.map(({ body }) => body.seq).sort(), [3, 4, 5, 6, 7, 8])
    t.ok(first.body.offset_ms >= 0 && reply.body.offset_ms >= first.body.offset_ms)
  })

  t.test('posts a repeated request once, even after the end', async (t) => {
    const session = await play()
    const fields = { client_message_id: 'once', content: 'Once' }
    const all = await Promise.all([1, 2, 3].map(() => post(ben, session, fields)))
    for (const answer of all) t.strictSame(answer.body, all[0]?.body)
    await join(session._id, ben, new Date().toISOString())
    await change('endSession', admin, session)
    const again = await post(ben, session, fields)
    t.equal(again.status, 201)
    t.strictSame(again.body, all[0]?.body)
    t.equal(
      (await post(cleo, session, fields)).body.code,
      'session_ended',
      'this id belongs to another author',
    )
    t.equal((await list(admin, session)).length, 1)
    const events = await auditEvents(call, admin, { case_id: session._id })
    const posted = events.filter(({ event_type }) => event_type === 'message_posted')
    t.equal(posted.length, 1, 'the audit trail records it once')
  })

  t.test('lets a trainer speak as a character, which participants cannot see', async (t) => {
    const session = await play()
    const as = { as_character_id: bot.user_id, client_message_id: 't-1' }
    const injected = await post(hr, session, as)
    t.match(injected.body, { sender_id: bot.user_id, sender_kind: 'character', injected: true })
    t.equal(injected.body.client_message_id, 't-1')
    const own = await post(bot, session, { client_message_id: 'b-1', as_character_id: null })
    t.match(own.body, { sender_id: bot.user_id, injected: null, client_message_id: 'b-1' })
    const self = await post(bot, session, { as_character_id: bot.user_id })
    t.equal(self.status, 201)
    for (const reader of [ben, bot]) {
      for (const seen of await list(reader, session)) {
        t.match(seen, { sender_kind: 'character', injected: null, client_message_id: null })
      }
    }
    t.strictSame(
      (await list(hr, session)).map(({ injected }) => injected),
      [true, false, false],
    )
  })

  t.test('records author and place of a message, but never its content', async (t) => {
    const session = await play()
    const root = await post(ben, session, { content: 'A secret' })
    await post(hr, session, { as_character_id: bot.user_id, thread_id: root.body._id })
    const events = await auditEvents(call, admin, { conversation_id: session.home })
    const where = { case_id: session._id, channel_id: root.body.channel_id }
    t.match(events, [
      {
        event_type: 'message_injected',
        actor_id: hr.user_id,
        thread_id: root.body._id,
        metadata: { seq: 2, as_character_id: bot.user_id },
        ...where,
      },
      {
        event_type: 'message_posted',
        actor_id: ben.user_id,
        thread_id: root.body._id,
        metadata: { message_id: root.body._id, seq: 1 },
        ...where,
      },
    ])
    t.notMatch(JSON.stringify(events), /A secret/)
  })

  t.test('lets a trainer who takes part write as themselves after they have joined', async (t) => {
    const participants = [ben, cleo, hr].map(({ user_id }) => ({ user_id }))
    const session = await play({ participants })
    t.equal((await post(hr, session)).body.code, 'not_joined')
    t.equal((await post(hr, session, { as_character_id: bot.user_id })).status, 201)
    await join(session._id, hr)
    t.match((await post(hr, session)).body, {
      sender_id: hr.user_id,
      sender_kind: 'participant',
      injected: false,
    })
  })

  t.test('refuses a character that the caller may not speak as', async (t) => {
    const session = await play({ rater_ids: [rater.user_id] })
    t.match((await post(admin, session)).body.detail, [
      { loc: ['body', 'as_character_id'], msg: 'Field required', type: 'missing' },
    ])
    for (const as_character_id of [ben.user_id, createId(), 'x']) {
      for (const member of [admin, bot, cleo]) {
        const answer = await post(member, session, { as_character_id })
        t.equal(answer.status, 422)
        const type = member === admin ? 'unknown_character' : 'not_your_character'
        t.strictSame(faultsOf(answer), [`as_character_id ${type}`])
      }
    }
    t.equal((await post(rater, session)).body.code, 'not_joined')
    t.equal((await post(ben, session, { as_character_id: ben.user_id })).status, 201)
  })

  t.test('refuses an invalid place, and reports each wrong field', async (t) => {
    const session = await play()
    const other = await play()
    const root = (await post(ben, session)).body._id
    const reply = (await post(ben, session, { thread_id: root })).body._id
    const elsewhere = await post(ben, session, { conversation_id: other.home })
    t.strictSame(
      [elsewhere.status, faultsOf(elsewhere)],
      [422, ['conversation_id unknown_conversation']],
    )
    for (const thread_id of [reply, createId(), 'x', (await post(ben, other)).body._id]) {
      const answer = await post(ben, session, { thread_id })
      t.strictSame([answer.status, faultsOf(answer)], [422, ['thread_id not_a_thread']])
    }
    const across = await post(ben, session, { thread_id: root, conversation_id: session.away })
    t.strictSame(faultsOf(across), ['thread_id not_a_thread'], 'a thread stays in its conversation')
    const both = await post(admin, session, { conversation_id: 'x' })
    t.strictSame(faultsOf(both), [
      'conversation_id unknown_conversation',
      'as_character_id missing',
    ])
    t.equal((await list(ben, session)).at(-1)?.seq, 2)
  })

  t.test('is refused while the session is not running', async (t) => {
    const { _id } = await draft()
    await join(_id, ben)
    const waiting = { _id, home: createId(), away: '', params: { session_id: _id } }
    t.match((await post(ben, waiting)).body, { current_status: 'draft' })
    const session = await play()
    await change('pauseSession', admin, session)
    for (const [member, as_character_id] of [[ben], [bot], [admin, bot.user_id]] as const) {
      const { status, body } = await post(member, session, {
        as_character_id: as_character_id ?? null,
      })
      t.equal(status, 409)
      t.match(body, { code: 'session_not_running', current_status: 'paused' })
    }
  })

  t.test('is refused for a participant who has left', async (t) => {
    const session = await play()
    await join(session._id, cleo, new Date().toISOString())
    t.equal((await post(cleo, session)).body.code, 'not_joined')
  })

  t.test('returns 404 for users without a role in the session', async (t) => {
    const session = await play()
    for (const other of [stranger, rater]) {
      t.equal((await post(other, session)).body.code, 'session_not_found')
    }
  })
})
