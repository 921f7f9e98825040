import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'
import { sessionsOf } from '../helpers/sessions.js'
import { replyOf } from '../helpers/templates.js'

const service = await startService(t)
const { call, db, registerAdmin } = service
const { addScenario, create, change, read, pass, messages, texts, waitForTexts } =
  sessionsOf(service)
const admin = await registerAdmin()

const at = (drill_minute: number, content: string, metadata: object = {}) => ({
  content,
  metadata: { drill_minute, ...metadata },
})

/** Stores an answer of a participant in the thread of a message. */
async function insertAnswer(session_id: string, content: string): Promise<void> {
  const [root] = await db
    .selectFrom('session_messages')
    .selectAll()
    .where('session_id', '=', session_id)
    .where('content', '=', content)
    .execute()
  if (!root) throw new Error(`No message has the text ${content}`)
  const { last_seq } = await db
    .updateTable('simulation_sessions')
    .set((eb) => ({ last_seq: eb('last_seq', '+', 1) }))
    .where('organization_id', '=', root.organization_id)
    .where('_id', '=', session_id)
    .returning('last_seq')
    .executeTakeFirstOrThrow()
  const { expectation, artefact, decides, plan_position, posted_at, ...place } = root
  const fields = { seq: last_seq, _id: createId(), thread_id: root._id, content: 'An answer' }
  const sender = { sender_kind: 'participant', sender_id: admin.user_id } as const
  await db
    .insertInto('session_messages')
    .values({ ...place, ...fields, ...sender })
    .execute()
}

t.test('A fallback', async (t) => {
  const scenario = (character_id: string) => [
    at(1, 'How do we repair it?', {
      beat: 'repair',
      expectation: { act: 'decide', deadline_minutes: 5, options: ['by hand', 'anew'] },
    }),
    {
      ...at(6, 'Then by hand.', { beat: 'repair', fallback_for: 'repair' }),
      thread_replies: [
        replyOf(character_id, { content: 'All right.', metadata: { drill_minute: 7 } }),
      ],
    },
    at(8, 'Next.'),
  ]

  t.test('is posted with its replies when no participant has answered', async (t) => {
    const { scenario_name } = await addScenario(admin, scenario)
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    for (const minutes of [1, 5, 1, 1]) await pass(session, minutes)
    t.strictSame(await waitForTexts(session, 4), [
      'How do we repair it?',
      'Then by hand.',
      'All right.',
      'Next.',
    ])
    const [question] = await messages(session)
    t.strictSame(question?.expectation, {
      act: 'decide',
      deadline_minutes: 5,
      options: ['by hand', 'anew'],
      decision: null,
    })
  })

  t.test('is withheld with its replies when a participant has answered', async (t) => {
    const { scenario_name } = await addScenario(admin, scenario)
    const session = await create(admin, { scenario_name })
    await change('startSession', admin, session)
    await pass(session, 1)
    await waitForTexts(session, 1)
    await insertAnswer(session._id, 'How do we repair it?')
    for (const minutes of [5, 1, 1]) await pass(session, minutes)
    t.strictSame(await waitForTexts(session, 3), ['How do we repair it?', 'An answer', 'Next.'])
    t.match((await read(admin, session)).counts, { posted: 2, withheld: 2, messages: 3 })
    const withheld = await auditEvents(call, admin, {
      case_id: session._id,
      event_type: 'message_withheld',
    })
    t.strictSame(
      withheld.map(({ metadata }) => metadata?.position),
      [2, 1],
    )
  })

  t.test('without a matching question is always posted, with a warning', async (t) => {
    const lines = [at(0, 'By hand.', { fallback_for: 'nothing' })]
    const { scenario_name } = await addScenario(admin, lines)
    const session = await create(admin, { scenario_name })
    const { warnings } = await change('startSession', admin, session)
    t.match(warnings, [{ field: 'home', value: 'By hand.' }])
    t.strictSame(await texts(session), ['By hand.'])
  })

  t.test('belongs to the last waiting line of its beat before it', async (t) => {
    const waits = { beat: 'repair', expectation: { act: 'decide', deadline_minutes: 1 } }
    const { scenario_name } = await addScenario(admin, [
      at(0, 'How?', waits),
      at(1, 'Really how?', waits),
      at(2, 'By hand.', { fallback_for: 'repair' }),
      at(3, 'And how now?', waits),
    ])
    const asked = await create(admin, { scenario_name })
    const really = await create(admin, { scenario_name })
    for (const session of [asked, really]) {
      await change('startSession', admin, session)
      await pass(session, 1)
      await waitForTexts(session, 2)
    }
    await insertAnswer(asked._id, 'How?')
    await insertAnswer(really._id, 'Really how?')
    for (const session of [asked, really])
      for (const minutes of [1, 1]) await pass(session, minutes)
    t.ok(
      (await waitForTexts(asked, 5)).includes('By hand.'),
      'an answer to an earlier line does not count',
    )
    t.notOk((await waitForTexts(really, 4)).includes('By hand.'))
  })

  t.test('for null is an ordinary line', async (t) => {
    const waits = { expectation: { act: 'decide', deadline_minutes: 1 } }
    const lines = [at(0, 'How?', waits), at(0, 'By hand.', { fallback_for: null })]
    const { scenario_name } = await addScenario(admin, lines)
    const session = await create(admin, { scenario_name })
    t.strictSame((await change('startSession', admin, session)).warnings, [])
    t.match((await messages(session))[1], { content: 'By hand.' })
  })

  t.test('before the line that waits is always posted, with a warning', async (t) => {
    const expectation = { act: 'decide', deadline_minutes: 1 }
    const { scenario_name } = await addScenario(admin, [
      at(0, 'By hand.', { fallback_for: 'repair' }),
      at(1, 'How?', { beat: 'repair', expectation }),
    ])
    const { warnings } = await change('startSession', admin, await create(admin, { scenario_name }))
    t.match(warnings, [{ field: 'home', value: 'By hand.' }])
  })
})
