import { t } from '../helpers/file.js'
import { type Asked, openQuestions } from '../helpers/questions.js'
import { startService } from '../helpers/service.js'

const service = await startService(t)
const { call, addMember } = service
const { admin, bot, ben, cleo, ask, change, draft, expectations, join, messageThat, ...stage } =
  await openQuestions(service)
const { pass, post, reply, waitForTexts } = stage

const minuteMs = 60_000
const actAndStatus = ({ act, status }: Asked) => [act, status]

t.test('listExpectations', async (t) => {
  t.test('shows what is asked, where and until when', async (t) => {
    const play = await ask({ speed: 2 })
    const [question, who] = await Promise.all(
      ['How do we repair it?', 'And who?'].map((one) => messageThat(play, one)),
    )
    const found = await expectations(ben, play)
    const { started_at } = (await call('getSession', { token: ben.token, params: play.params }))
      .body
    t.strictSame(found, [
      {
        message_id: question?._id,
        seq: question?.seq,
        conversation_id: play.home,
        thread_id: question?._id,
        asked_by: bot.user_id,
        asked_at: question?.posted_at,
        act: 'decide',
        options: ['by hand', 'anew'],
        deadline_minutes: 5,
        due_at: new Date(Date.parse(started_at) + 2.5 * minuteMs).toISOString(),
        left_ms: null,
        status: 'open',
        answered_by: null,
        answered_message_id: null,
        answered_at: null,
        answered_late: null,
      },
      {
        ...(found[1] as Asked),
        message_id: who?._id,
        thread_id: question?._id,
        act: 'answer',
        options: [],
        due_at: new Date(Date.parse(started_at) + 5 * minuteMs).toISOString(),
        left_ms: null,
      },
    ])
    for (const reader of [admin, cleo, bot]) t.strictSame(await expectations(reader, play), found)
  })

  t.test('shows who has answered in the thread, and when', async (t) => {
    const play = await ask()
    await post(ben, play)
    await pass(play, 1)
    await waitForTexts(play, 4)
    await reply(cleo, play, 'When?')
    const answer = await reply(ben, play, 'How do we repair it?')
    await reply(cleo, play, 'How do we repair it?')
    const answered = {
      answered_by: ben.user_id,
      answered_message_id: answer._id,
      answered_late: false,
    }
    t.match(await expectations(ben, play), [
      {
        ...answered,
        due_at: null,
        act: 'decide',
        status: 'answered',
        answered_at: answer.posted_at,
      },
      { ...answered, act: 'answer', status: 'answered', answered_at: answer.posted_at },
      { answered_by: cleo.user_id, status: 'answered' },
    ])
  })

  t.test('shows what is still open after a message elsewhere', async (t) => {
    const play = await ask()
    const { body: elsewhere } = await post(ben, play)
    await post(ben, play, { thread_id: elsewhere._id })
    const { _id: thread_id } = await messageThat(play, 'How do we repair it?')
    await post(admin, play, { thread_id, as_character_id: bot.user_id })
    const open = [
      ['decide', 'open'],
      ['answer', 'open'],
    ]
    t.strictSame((await expectations(ben, play)).map(actAndStatus), open)
  })

  t.test('shows what has lapsed by the clock, and what was answered late', async (t) => {
    const play = await ask()
    await pass(play, 4.9)
    t.match(await expectations(ben, play), [
      { status: 'open' },
      { status: 'open' },
      { status: 'lapsed' },
    ])
    await pass(play, 0.2)
    const [lapsed, open] = await expectations(ben, play)
    t.match([lapsed, open], [{ status: 'lapsed' }, { status: 'open' }])
    t.ok(Date.parse(lapsed?.due_at ?? '') < Date.now(), 'it was due before now')
    await reply(ben, play, 'How do we repair it?')
    t.match(await expectations(ben, play), [
      { status: 'answered', due_at: null, answered_late: true },
      { status: 'answered', answered_late: false },
      { status: 'lapsed', answered_late: null },
    ])
  })

  t.test('has no due time while the clock stands still', async (t) => {
    const play = await ask()
    const [before] = await expectations(ben, play)
    await pass(play, 4)
    await change('pauseSession', admin, play)
    await pass(play, 4)
    const paused = await expectations(ben, play)
    t.match(paused, [
      { status: 'open', due_at: null, left_ms: Number },
      { status: 'open', due_at: null, left_ms: Number },
      { status: 'lapsed', due_at: null, left_ms: null },
    ])
    t.strictSame(await expectations(ben, play), paused, 'the time left stands still')
    await change('resumeSession', admin, play)
    const [after] = await expectations(ben, play)
    t.equal(after?.status, 'open')
    const moved = Date.parse(after?.due_at ?? '') - Date.parse(before?.due_at ?? '')
    t.ok(moved > -4 * minuteMs && moved < 0, 'the pause has moved it')
  })

  t.test('shows nothing as open after the end', async (t) => {
    const play = await ask()
    await reply(ben, play, 'How do we repair it?')
    await pass(play, 1)
    await waitForTexts(play, 4)
    await change('endSession', admin, play)
    t.match(await expectations(ben, play), [
      { status: 'answered', due_at: null },
      { status: 'answered', due_at: null },
      { status: 'lapsed', due_at: null },
    ])
  })

  t.test('filters by status, page by page', async (t) => {
    const play = await ask()
    await pass(play, 3.5)
    await waitForTexts(play, 3)
    t.strictSame((await expectations(ben, play, { status: 'lapsed' })).map(actAndStatus), [
      ['answer', 'lapsed'],
    ])
    t.strictSame(await expectations(ben, play, { status: 'answered' }), [])
    const query = { status: 'open', limit: '1' }
    const { body, headers } = await call('listExpectations', { token: ben.token, ...play, query })
    t.strictSame(body.map(actAndStatus), [['decide', 'open']])
    const next = new URL(String(headers.get('link')?.match(/<(.*)>; rel="next"/)?.[1]), 'http://x')
    const rest = Object.fromEntries(next.searchParams)
    t.strictSame((await expectations(ben, play, rest)).map(actAndStatus), [['answer', 'open']])
    const last = await call('listExpectations', { token: ben.token, ...play, query: rest })
    t.equal(last.headers.get('link'), null)
  })

  t.test('shows nothing before the start, and nothing that is posted later', async (t) => {
    const waiting = await draft()
    t.strictSame(await expectations(admin, { params: { session_id: waiting._id } }), [])
    t.equal(
      (await expectations(admin, await ask())).length,
      2,
      'a third question comes a minute later',
    )
  })

  t.test('is refused for users who may not read the messages', async (t) => {
    const play = await ask()
    const statusFor = async ({ token }: { token: string }) => {
      const answer = await call('listExpectations', { token, params: play.params })
      return [answer.status, answer.body.code]
    }
    const outsider = await addMember(admin.organization_id, 'employee')
    t.strictSame(await statusFor(outsider), [404, 'session_not_found'])
    await join(play._id, cleo, new Date().toISOString())
    t.strictSame(await statusFor(cleo), [409, 'not_joined'])
  })
})
