import { t } from '../helpers/file.js'
import { openQuestions } from '../helpers/questions.js'
import { startService } from '../helpers/service.js'

const { admin, bot, ben, cleo, ask, list, messageThat, pass, post, reply, waitForTexts } =
  await openQuestions(await startService(t))

t.test('A message', async (t) => {
  t.test('of a participant answers the open questions of its thread', async (t) => {
    const play = await ask()
    const asked = await Promise.all(
      ['How do we repair it?', 'And who?'].map((one) => messageThat(play, one)),
    )
    const first = await reply(ben, play, 'How do we repair it?')
    t.strictSame(
      first.answers,
      asked.map(({ _id }) => _id),
    )
    t.strictSame(
      (await reply(cleo, play, 'How do we repair it?')).answers,
      [],
      'the second message answers nothing',
    )
    for (const reader of [ben, admin, bot]) {
      const messages = await list(reader, play)
      const answering = messages.filter(({ answers }) => answers.length > 0)
      t.strictSame(
        answering.map(({ _id }) => _id),
        [first._id],
        'every reader sees this',
      )
    }
  })

  t.test('outside the thread answers nothing', async (t) => {
    const play = await ask()
    const { body: outside } = await post(ben, play)
    t.strictSame(outside.answers, [])
    t.strictSame((await post(cleo, play, { thread_id: outside._id })).body.answers, [])
    await pass(play, 1)
    await waitForTexts(play, 5)
    const { _id } = await messageThat(play, 'When?')
    t.strictSame(
      (await reply(ben, play, 'When?')).answers,
      [_id],
      'only the questions of its thread',
    )
  })

  t.test('of a character answers nothing', async (t) => {
    const play = await ask()
    const { _id: thread_id } = await messageThat(play, 'How do we repair it?')
    const as_character_id = bot.user_id
    const { status, body } = await post(admin, play, { thread_id, as_character_id })
    t.equal(status, 201)
    t.strictSame(body.answers, [])
    t.equal((await reply(ben, play, 'How do we repair it?')).answers.length, 2)
  })

  t.test('that is posted again gets the same response', async (t) => {
    const play = await ask()
    const { _id: thread_id } = await messageThat(play, 'How do we repair it?')
    const again = { thread_id, content: 'By hand', client_message_id: 'same' }
    const { body } = await post(ben, play, again)
    t.equal(body.answers.length, 2)
    t.strictSame((await post(ben, play, again)).body, body)
  })

  t.test('that answers a question prevents its fallback, even after the deadline', async (t) => {
    const [inTime, late, never] = [await ask(), await ask(), await ask()]
    await reply(ben, inTime, 'How do we repair it?')
    for (const play of [inTime, late, never]) await pass(play, 5.5)
    t.equal(
      (await reply(ben, late, 'How do we repair it?')).answers.length,
      2,
      'a late answer counts as well',
    )
    for (const play of [inTime, late, never]) {
      await pass(play, 1)
      await post(ben, play, { content: 'Later' })
    }
    const isPosted = async (play: typeof late) =>
      (await list(admin, play)).some(({ content }) => content === 'Then by hand.')
    t.strictSame(
      [await isPosted(inTime), await isPosted(late), await isPosted(never)],
      [false, false, true],
    )
  })
})
