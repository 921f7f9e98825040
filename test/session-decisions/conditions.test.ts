import { askFor, openDecisions, said } from '../helpers/decisions.js'
import { t } from '../helpers/file.js'
import { auditEvents, startService } from '../helpers/service.js'
import { replyOf } from '../helpers/templates.js'

const service = await startService(t)
const { call } = service
const { admin, ben, playOf, decide, decisions, list, pass, post, waitForTexts } =
  await openDecisions(service)

const recall = askFor('recall', ['all', 'wait'], 'wait')
const telling = askFor('telling', ['now', 'later'], 'later')
const ifAll = { beat: 'recall', options: ['all'] }
const ifWait = { beat: 'recall', options: ['wait'] }
const fallback = { fallback_for: 'recall' }
const end = said(40, 'The end.')

t.test('A line', async (t) => {
  t.test('is posted only if all its conditions hold', async (t) => {
    const session = await playOf([
      said(0, 'Recall?', recall(5)),
      said(10, 'Tell?', telling(5)),
      said(20, 'Both.', { only_if: [ifAll, { beat: 'telling', options: ['later'] }] }),
      said(20, 'Not both.', { only_if: [ifAll, { beat: 'telling', options: ['now'] }] }),
      said(21, 'Not after all.', { unless: ifAll }),
      said(21, 'Not after waiting.', { unless: [ifWait, { beat: 'telling', options: ['now'] }] }),
      end,
    ])
    await decide(ben, session, 'recall', { option: 'all' })
    await pass(session, 40)
    const texts = await waitForTexts(session, 7)
    t.strictSame(texts, [
      'Recall?',
      'all',
      'Tell?',
      'later',
      'Both.',
      'Not after waiting.',
      'The end.',
    ])
  })

  t.test('is withheld while its decision is still open', async (t) => {
    const session = await playOf([
      said(0, 'Recall?', recall(10)),
      said(5, 'Too early.', { only_if: ifWait }),
      said(5, 'Not decided yet.', { unless: ifWait }),
      end,
    ])
    await pass(session, 40)
    t.strictSame(await waitForTexts(session, 4), [
      'Recall?',
      'Not decided yet.',
      'wait',
      'The end.',
    ])
  })

  t.test('at the time of the deadline comes after the fallback', async (t) => {
    const session = await playOf([
      said(0, 'Recall?', recall(5)),
      said(5, 'It follows.', { only_if: ifWait }),
      said(5, 'We wait.', { fallback_for: 'recall' }),
      end,
    ])
    await pass(session, 40)
    const texts = ['Recall?', 'We wait.', 'It follows.', 'The end.']
    t.strictSame(await waitForTexts(session, 4), texts)
  })
})

t.test('A decision', async (t) => {
  t.test('is not asked for on a path without its message', async (t) => {
    const session = await playOf([
      said(0, 'Recall?', recall(5)),
      said(10, 'Tell?', { ...telling(5), only_if: ifAll }),
      said(16, 'Told later.', { only_if: { beat: 'telling', options: ['later'] } }),
      end,
    ])
    await pass(session, 40)
    t.strictSame(await waitForTexts(session, 3), ['Recall?', 'wait', 'The end.'])
    t.match(await decisions(ben, session), [{ beat: 'recall' }])
    t.equal((await decisions(ben, session)).length, 1)
    const events = await auditEvents(call, admin, { event_type: 'message_withheld' })
    const reasons = events
      .filter(({ case_id }) => case_id === session._id)
      .map(({ metadata }) => metadata?.reason)
    t.strictSame(reasons.sort(), ['not_chosen', 'not_chosen', 'thread_withheld'])
  })

  t.test('may have a fallback for each outcome of an earlier decision', async (t) => {
    const session = await playOf([
      said(0, 'Recall?', recall(5)),
      said(10, 'Tell?', telling(5)),
      said(15, 'All are back, so later.', { fallback_for: 'telling', only_if: ifAll }),
      said(15, 'We wait, so later.', { fallback_for: 'telling', only_if: ifWait }),
      said(16, 'It was later.', { only_if: { beat: 'telling', options: ['later'] } }),
      end,
    ])
    await pass(session, 40)
    const texts = await waitForTexts(session, 6)
    t.strictSame(texts.slice(3), ['We wait, so later.', 'It was later.', 'The end.'])
  })

  t.test(
    'lapses at its deadline, even if the fallback belongs to a withheld message',
    async (t) => {
      const reply = { drill_minute: 15, fallback_for: 'telling' }
      for (const metadata of [
        { only_if: ifAll },
        { kind: 'acknowledgement', only_if: ifWait },
        { fallback_for: 'place' },
      ]) {
        const session = await playOf((character_id) => [
          said(0, 'Recall?', recall(5)),
          said(1, 'Where?', { beat: 'place', expectation: { act: 'answer', deadline_minutes: 8 } }),
          said(10, 'Tell?', telling(5)),
          {
            ...said(12, 'Withheld.', metadata),
            thread_replies: [replyOf(character_id, { content: 'Later, then.', metadata: reply })],
          },
          said(16, 'It was later.', { only_if: { beat: 'telling', options: ['later'] } }),
          end,
        ])
        await pass(session, 2)
        await waitForTexts(session, 2)
        const [, asked] = await list(ben, session)
        await post(ben, session, { content: 'Here.', thread_id: asked?._id ?? '' })
        await pass(session, 40)
        const texts = ['Recall?', 'Where?', 'Here.', 'wait', 'Tell?', 'later', 'It was later.']
        t.strictSame(
          await waitForTexts(session, 8),
          [...texts, 'The end.'],
          JSON.stringify(metadata),
        )
      }
    },
  )

  t.test(
    'lapses once with a fallback that is a reply of a message of the same minute',
    async (t) => {
      const session = await playOf((character_id) => [
        said(0, 'Recall?', recall(5)),
        said(10, 'Tell?', telling(5)),
        {
          ...said(15, 'We waited.', { only_if: ifWait }),
          thread_replies: [
            replyOf(character_id, {
              content: 'Later, then.',
              offset_minutes: 0,
              metadata: { fallback_for: 'telling' },
            }),
          ],
        },
        end,
      ])
      await pass(session, 40)
      const texts = ['Recall?', 'wait', 'Tell?', 'We waited.', 'Later, then.', 'The end.']
      t.strictSame(await waitForTexts(session, 6), texts)
    },
  )

  t.test('lapses with a fallback whose condition is the fallback option', async (t) => {
    const session = await playOf([
      said(0, 'Recall?', recall(5)),
      said(5, 'All come back.', { ...fallback, only_if: ifAll }),
      said(5, 'We do not wait.', { ...fallback, unless: ifWait }),
      said(5, 'We wait.', { ...fallback, only_if: ifWait }),
      end,
    ])
    await pass(session, 40)
    t.strictSame(await waitForTexts(session, 3), ['Recall?', 'We wait.', 'The end.'])
  })

  t.test('is asked for once, even if a second message asks for it', async (t) => {
    const session = await playOf([
      said(0, 'Recall?', recall(5)),
      said(2, 'Recall, again?', recall(9)),
      end,
    ])
    await pass(session, 40)
    await waitForTexts(session, 4)
    t.strictSame(
      (await decisions(admin, session)).map(({ beat }) => beat),
      ['recall'],
    )
    const { body } = await call('getSession', { token: admin.token, params: session.params })
    t.match(body.warnings, [{ value: 'Recall, again?', message: /^It asks for no decision/ }])
  })

  t.test('can be asked for, lapse and have consequences at the same time', async (t) => {
    const story = [
      said(0, 'Recall?', recall(0.01)),
      said(0.01, 'We wait.', fallback),
      said(0.02, 'It follows.', { only_if: ifWait }),
      end,
    ]
    const session = await playOf(story, { speed: 3_600 })
    const texts = ['Recall?', 'We wait.', 'It follows.']
    t.strictSame((await waitForTexts(session, 3)).slice(0, 3), texts)
  })
})

t.test('A deadline', async (t) => {
  t.test('may be a fraction of a minute', async (t) => {
    const session = await playOf([said(0, 'Recall?', recall(4.1)), end])
    await pass(session, 5)
    t.strictSame(await waitForTexts(session, 2), ['Recall?', 'wait'])
  })

  t.test('is after the question, even if the fallback has the same calendar hour', async (t) => {
    const story = [
      { ...said(0, 'Recall?', recall(20)), offset_hours: 0 },
      { ...said(0, 'We wait.', fallback), offset_hours: 0 },
    ]
    const session = await playOf(story, { timing: 'calendar' })
    t.match(await decisions(ben, session), [{ status: 'open', deadline_minutes: 20 }])
    await pass(session, 21)
    t.strictSame(await waitForTexts(session, 2), ['Recall?', 'We wait.'])
  })

  t.test('is the time of a fallback in the thread of the question', async (t) => {
    const session = await playOf((character_id) => [
      {
        ...said(0, 'Recall?', recall(7)),
        thread_replies: [
          replyOf(character_id, {
            content: 'We wait.',
            metadata: { drill_minute: 5, ...fallback },
          }),
        ],
      },
      said(6, 'It follows.', { only_if: ifWait }),
      end,
    ])
    const [open] = await decisions(ben, session)
    const minutes = Date.parse(open?.deadline_at ?? '') - Date.parse(open?.asked_at ?? '')
    t.equal(Math.round(minutes / 60_000), 5)
    await pass(session, 40)
    const texts = ['Recall?', 'We wait.', 'It follows.', 'The end.']
    t.strictSame(await waitForTexts(session, 4), texts)
  })
})
