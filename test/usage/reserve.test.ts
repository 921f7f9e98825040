import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { type Member, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t)
const { call } = service

const refused = (quota: string, allowed: number) => ({
  status: 409,
  body: { code: 'quota_exceeded', quota, allowed },
})

/** An organization with a session. The limits of a new organization are not cached yet. */
async function openSession(limits: Record<string, number> = {}) {
  const stage = await openStage(service)
  const { admin, bot, cleo, post } = stage
  await setLimits(service.db, stage.organization_id, limits)
  const session = await stage.play({ mode: 'scripted' })
  const { params } = session
  const ask = ({ token }: Member, content: string) =>
    call('askTrainer', { token, params, body: { content } })
  /** What a trainer says as a character, and in private. */
  async function lead(content: string) {
    const { body } = await call('listParticipants', { token: admin.token, params })
    const [{ _id: assignment_id }] = body
    const answer = { token: admin.token, params: { ...params, assignment_id }, body: { content } }
    const spoken = await post(admin, session, { content, as_character_id: bot.user_id })
    return [spoken.status, (await call('answerParticipant', answer)).status]
  }
  return { ...stage, session, ask, lead, cleo }
}

const long = 'x'.repeat(4_000)

t.test('Those who lead can speak and answer', async (t) => {
  t.test('when participants have filled the session', async (t) => {
    const { ben, cleo, session, post, ask, lead } = await openSession({ bytes_per_session: 20_000 })
    for (const one of [ben, cleo, ben]) {
      t.equal((await post(one, session, { content: long })).status, 201)
    }
    t.match(await post(cleo, session, { content: long }), refused('bytes_per_session', 15_000))
    t.match(await ask(cleo, long), refused('bytes_per_session', 15_000))
    t.strictSame(await lead('Well done.'), [201, 201])
  })

  t.test('when a bot has filled the session', async (t) => {
    const { bot, session, post, lead } = await openSession({ bytes_per_session: 20_000 })
    for (let i = 0; i < 3; i++) {
      t.equal((await post(bot, session, { content: long })).status, 201)
    }
    t.match(await post(bot, session, { content: long }), refused('bytes_per_session', 15_000))
    t.strictSame(await lead('Well done.'), [201, 201])
  })

  t.test('when participants have posted as many messages as they may', async (t) => {
    const { ben, session, post, lead } = await openSession({ session_messages: 4 })
    for (let count = 0; count < 3; count++) t.equal((await post(ben, session)).status, 201)
    t.match(await post(ben, session), refused('session_messages', 3))
    t.strictSame(await lead('Well done.'), [201, 201])
  })

  t.test('when participants have used what they may of the organization', async (t) => {
    const { admin, organization_id, ben, session, post, lead } = await openSession()
    await post(ben, session, { content: long })
    for (const name of ['session_bytes', 'events_per_day']) {
      const { body } = await call('getUsage', { token: admin.token, params: { organization_id } })
      const { used } = body.limits.find((one: { name: string }) => one.name === name)
      const allowed = Math.floor(used / 0.8)
      await setLimits(service.db, organization_id, { [name]: allowed })
      // Another process, which waits here until it has counted.
      const fresh = await startService(t, {})
      const { usage } = fresh.app
      const counted = name === 'session_bytes' ? usage.sessionBytes : usage.eventsToday
      await t.rejects(counted.take(organization_id, 2 ** 40))
      const { token } = ben
      const message = { conversation_id: session.home, content: 'Why?', client_message_id: name }
      const sent = await fresh.call('postSessionMessage', { ...session, token, body: message })
      t.match(sent, refused(name, Math.ceil(0.75 * allowed)))
      const note = { token: admin.token, params: session.params, body: { content: 'Calm.' } }
      t.equal((await fresh.call('createSessionNote', note)).status, 201)
      await setLimits(service.db, organization_id, { [name]: null })
    }
    t.strictSame(await lead('Well done.'), [201, 201])
  })

  t.test('more often in a minute than participants', async (t) => {
    const { lead } = await openSession({ participant_messages_per_minute: 1 })
    for (let count = 0; count < 3; count++) t.strictSame(await lead('Well done.'), [201, 201])
  })
})

t.test('A limit of participant_bytes', async (t) => {
  const mine = refused('participant_bytes', 8_000)

  t.test('applies to what one participant posts and asks in one session', async (t) => {
    const { ben, cleo, session, play, post, ask } = await openSession({ participant_bytes: 8_000 })
    t.equal((await post(ben, session, { content: long })).status, 201)
    t.match(await post(ben, session, { content: long }), mine)
    t.match(await ask(ben, long), mine)
    t.equal((await ask(ben, 'Short.')).status, 201)
    t.equal((await post(cleo, session, { content: long })).status, 201)
    t.equal((await post(ben, await play(), { content: long })).status, 201)
  })

  t.test('counts private words', async (t) => {
    const { ben, session, post, ask } = await openSession({ participant_bytes: 8_000 })
    t.equal((await ask(ben, long)).status, 201)
    t.match(await post(ben, session, { content: long }), mine)
  })

  t.test('counts no answers', async (t) => {
    const { ben, cleo, session, post, lead } = await openSession({ participant_bytes: 8_000 })
    t.strictSame(await lead(long), [201, 201])
    for (const one of [ben, cleo]) {
      t.equal((await post(one, session, { content: long })).status, 201)
    }
  })
})

t.test('Participants write at most 4,000 characters', async (t) => {
  const { ben, session, post, ask, lead } = await openSession()
  const keys = '🗝'.repeat(4_000)
  const tooLong = {
    status: 422,
    body: {
      detail: [
        {
          loc: ['body', 'content'],
          msg: 'String should have at most 4000 characters',
          type: 'string_too_long',
        },
      ],
    },
  }
  t.equal((await post(ben, session, { content: keys })).status, 201)
  t.equal((await ask(ben, keys)).status, 201)
  t.strictSame(await post(ben, session, { content: `${keys}x` }).then(body), tooLong)
  t.strictSame(await ask(ben, `${keys}x`).then(body), tooLong)
  t.strictSame(await lead('x'.repeat(10_000)), [201, 201])
})

const body = ({ status, body }: { status: number; body: unknown }) => ({ status, body })
