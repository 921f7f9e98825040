import { askFor, openDecisions, said } from '../helpers/decisions.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { replyOf } from '../helpers/templates.js'

const service = await startService(t)
const { call, admin, ben, playOf, decide, list, pass, post, waitForTexts } = {
  ...service,
  ...(await openDecisions(service)),
}

const recall = askFor('recall', ['all', 'wait'], 'wait')
const telling = askFor('telling', ['now', 'later'], 'later')
const ifAll = { beat: 'recall', options: ['all'] }
const ifWait = { beat: 'recall', options: ['wait'] }
const end = said(40, 'The end.')

t.test('An acknowledgement', async (t) => {
  t.test('belongs to the decision that is asked for last', async (t) => {
    const session = await playOf([
      said(0, 'Recall?', recall(5)),
      said(10, 'Tell?', { ...telling(5), only_if: ifWait }),
      said(11, 'We tell them.', {
        kind: 'acknowledgement',
        only_if: [{ beat: 'telling', options: ['now'] }, ifWait],
      }),
      end,
    ])
    await pass(session, 12)
    await waitForTexts(session, 3)
    await decide(ben, session, 'telling', { option: 'now' })
    t.strictSame((await waitForTexts(session, 5)).slice(3), ['now', 'We tell them.'])
  })

  t.test('is posted at once also after three others with long threads', async (t) => {
    const pairs = ['all', 'wait'].flatMap((one) => ['now', 'later'].map((two) => [one, two]))
    const session = await playOf((character_id) => [
      said(0, 'Recall?', recall(5)),
      said(10, 'Tell?', telling(5)),
      ...pairs.map(([one = '', two = '']) => ({
        ...said(10, `${one}, then ${two}.`, {
          kind: 'acknowledgement',
          only_if: [
            { beat: 'recall', options: [one] },
            { beat: 'telling', options: [two] },
          ],
        }),
        thread_replies: Array(two === 'later' && one === 'wait' ? 0 : 100).fill(
          replyOf(character_id, { offset_minutes: 0 }),
        ),
      })),
      end,
    ])
    await pass(session, 11)
    await waitForTexts(session, 3)
    await decide(ben, session, 'telling', { option: 'later' })
    t.strictSame((await waitForTexts(session, 5)).slice(3), ['later', 'wait, then later.'])
  })

  t.test('keeps the time of a reply that is the fallback of a question', async (t) => {
    const session = await playOf((character_id) => [
      said(0, 'Recall?', recall(15)),
      said(1, 'Where?', { beat: 'place', expectation: { act: 'answer', deadline_minutes: 20 } }),
      {
        ...said(2, 'All of it.', { kind: 'acknowledgement', only_if: ifAll }),
        thread_replies: [
          replyOf(character_id, {
            content: 'We have no place.',
            metadata: { drill_minute: 21, fallback_for: 'place' },
          }),
        ],
      },
      end,
    ])
    await pass(session, 2)
    await waitForTexts(session, 2)
    await decide(ben, session, 'recall', { option: 'all' })
    t.strictSame((await waitForTexts(session, 4)).slice(2), ['all', 'All of it.'])
    const [, asked] = await list(ben, session)
    await post(ben, session, { content: 'Here.', thread_id: asked?._id ?? '' })
    await pass(session, 40)
    t.strictSame((await waitForTexts(session, 6)).slice(4), ['Here.', 'The end.'])
  })

  t.test('that asks again for a decision is an ordinary line', async (t) => {
    const session = await playOf([
      said(0, 'Recall?', recall(5)),
      said(0, 'Tell?', telling(5)),
      said(8, 'Recall, again?', { kind: 'acknowledgement', ...recall(3), only_if: ifWait }),
      end,
    ])
    await pass(session, 40)
    const texts = ['Recall?', 'Tell?', 'wait', 'later', 'Recall, again?', 'The end.']
    t.strictSame(await waitForTexts(session, 6), texts)
  })

  t.test('has a warning if a thousand others answer the same decision', async (t) => {
    const kind = 'acknowledgement'
    const session = await playOf((character_id) => [
      said(0, 'Recall?', recall(5)),
      ...Array.from({ length: 10 }, () => ({
        ...said(1, 'All of it.', { kind, only_if: ifAll }),
        thread_replies: Array(99).fill(replyOf(character_id, { offset_minutes: 0 })),
      })),
      said(1, 'One too many.', { kind, only_if: ifWait }),
      end,
    ])
    const { body } = await call('getSession', { token: admin.token, params: session.params })
    t.match(body.warnings, [{ value: 'One too many.', message: /^It is never posted: 1000 lines/ }])
    await pass(session, 40)
    t.strictSame(await waitForTexts(session, 3), ['Recall?', 'wait', 'The end.'])
  })

  t.test('that asks for a decision is an ordinary line', async (t) => {
    const session = await playOf([
      said(0, 'Recall?', recall(5)),
      said(8, 'Then, who?', { kind: 'acknowledgement', ...telling(3), only_if: ifAll }),
      end,
    ])
    await decide(ben, session, 'recall', { option: 'all' })
    await pass(session, 9)
    await waitForTexts(session, 3)
    const made = await decide(ben, session, 'telling', { option: 'now' })
    t.equal(made.status, 200)
  })
})
