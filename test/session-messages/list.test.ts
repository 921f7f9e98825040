import type { Schema } from '../../src/contract.js'
import { jsonb } from '../../src/database/expressions.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'

const service = await startService(t)
const { call, db, addMember } = service
const { admin, organization_id, bot, ben, cleo, join, play, post, list, addMessages } =
  await openStage(service)
const hr = await addMember(organization_id, 'hr')
const rater = await addMember(organization_id, 'executive')
const stranger = await addMember(organization_id, 'employee')

t.test('listSessionMessages', async (t) => {
  t.test('lists a conversation, or a thread with its first message, page by page', async (t) => {
    const session = await play()
    const { _id: thread_id } = (await post(ben, session)).body
    await post(cleo, session, { conversation_id: session.away })
    await post(cleo, session, { thread_id })
    await post(ben, session)
    await post(ben, session, { thread_id })
    const seqs = async (query: Record<string, string>) =>
      (await list(ben, session, query)).map(({ seq }) => seq)
    t.strictSame(await seqs({}), [1, 2, 3, 4, 5])
    t.strictSame(await seqs({ after: '3' }), [4, 5])
    t.strictSame(await seqs({ conversation_id: session.home }), [1, 3, 4, 5])
    t.strictSame(await seqs({ thread_id }), [1, 3, 5])
    t.strictSame(await seqs({ thread_id, conversation_id: session.away }), [])
    t.strictSame(await seqs({ thread_id: 'x' }), [])
    t.strictSame(await seqs({ after: '9007199254740991' }), [])

    const query = { limit: '2', thread_id }
    const { headers } = await call('listSessionMessages', { token: ben.token, ...session, query })
    const next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? ''
    const authorization = `Bearer ${ben.token}`
    const second = await service.request(next, { headers: { authorization } })
    t.strictSame(
      second.body.map(({ seq }: { seq: number }) => seq),
      [5],
    )
    t.equal(second.headers.get('link'), null)
  })

  t.test('ends a page after 256 KiB', async (t) => {
    const session = await play()
    const content = '\u0001'.repeat(10_000)
    await addMessages(session, 40, content)
    await addMessages(session, 40, '€'.repeat(10_000))
    const query = { limit: '500' }
    for (const reader of [ben, admin]) {
      const { token } = reader
      const answer = await call('listSessionMessages', { token, ...session, query })
      t.equal(answer.body.length, 5, 'each message takes 60 KB as JSON')
      const cursor = Buffer.from('["5"]').toString('base64url')
      t.match(answer.headers.get('link'), `cursor=${cursor}`)
      t.equal((await list(reader, session, { ...query, after: '40' })).length, 9)
    }
  })

  t.test('shows trainers each message as it was answered', async (t) => {
    const session = await play()
    const { body: root } = await post(admin, session, { as_character_id: bot.user_id })
    const { body: reply } = await post(ben, session, { thread_id: root._id })
    const [first, second] = await list(admin, session)
    t.strictSame(first, root)
    t.match(second, { ...reply, injected: false, offset_ms: Number })
  })

  t.test('shows expectations from before decisions were kept', async (t) => {
    const session = await play()
    await addMessages(session, 1, 'Who calls the customer?')
    const expectation = { act: 'decide', options: [], deadline_minutes: 10 }
    await db
      .updateTable('session_messages')
      .set({ expectation: jsonb<Schema<'Expectation'>>(expectation as never) })
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session._id)
      .execute()
    for (const reader of [ben, admin]) {
      t.match(await list(reader, session), [{ expectation: { act: 'decide', decision: null } }])
    }
  })

  t.test('lists a session’s messages for everyone with a role in it', async (t) => {
    const session = await play({ rater_ids: [rater.user_id] })
    await post(ben, session)
    for (const reader of [admin, hr, rater, bot, ben])
      t.equal((await list(reader, session)).length, 1)
    await join(session._id, cleo, new Date().toISOString())
    const left = await call('listSessionMessages', { token: cleo.token, ...session })
    t.equal(left.body.code, 'not_joined')
    const { body } = await call('listSessionMessages', { token: stranger.token, ...session })
    t.equal(body.code, 'session_not_found')
  })
})
