import { type BundleMessage, composeBundle } from '../../../src/blueprints/bundle/compose.js'
import { t } from '../../helpers/file.js'
import { branchedScenario, catalogueWith } from '../../helpers/own-scenario.js'

type Outcomes = Record<string, string>

/** Returns the messages of all paths, or of the one with these outcomes, in order of time. */
function messagesOf(scenario = branchedScenario(), outcomes?: Outcomes): BundleMessage[] {
  const { channels } = composeBundle(catalogueWith(scenario), {
    organization_id: '019cbb3e-5c00-7a10-8e2f-1d2c3b4a5f00',
    scenario_type: 'evacuation',
    team_size: 2,
    models: {},
    ...(outcomes && { path: new Map(Object.entries(outcomes)) }),
  })
  const isOfStory = ({ content }: { content: string }) => scenario.includes(content)
  return channels
    .flatMap(({ message_templates }) => message_templates)
    .filter(isOfStory)
    .map((one) => ({ ...one, thread_replies: one.thread_replies.filter(isOfStory) }))
    .sort((one, other) => one.offset_hours - other.offset_hours)
}

const posts = (messages: BundleMessage[]) =>
  messages.flatMap((message) => [message, ...message.thread_replies])

function find(messages: BundleMessage[], text: string) {
  const found = posts(messages).find(({ content }) => content === text)
  if (!found) throw new Error(`No one says ${text}`)
  return found
}

const textsOn = (outcomes: Outcomes) =>
  posts(messagesOf(branchedScenario(), outcomes)).map(({ content }) => content)

const all = messagesOf()
const minuteOf = (text: string) => Number(find(all, text).metadata.drill_minute)
const openOnly = { beat: 'count', options: ['open'] }
const waitOnly = { beat: 'count', options: ['wait'] }

t.test('A bundle of all paths', async (t) => {
  t.test('describes each decision in the message that asks for it', async (t) => {
    t.match(find(all, 'I have to say whether we open.').metadata, {
      kind: 'decision_point',
      beat: 'count',
      expectation: {
        act: 'decide',
        options: ['Open it', 'Wait'],
        deadline_minutes: 6,
        decision: {
          question: 'Open the building with two visitors not found?',
          options: [{ option: 'open', label: 'Open it', cost: /inside/ }, { option: 'wait' }],
          decided_by: ['warden'],
          fallback_option: 'wait',
        },
      },
    })
  })

  t.test('has the conditions of a line and of the lines that it follows, each once', async (t) => {
    const { metadata } = find(all, 'Two hundred people are at their desks again.')
    t.strictSame(metadata.only_if, [openOnly])
    t.strictSame(find(all, 'I am bringing the visitor a cup of tea.').metadata.only_if, [openOnly])
    t.strictSame(find(all, 'Then we wait for the fire brigade.').metadata.only_if, [waitOnly])
    t.strictSame(find(all, 'The floors are walked.').metadata.only_if, [
      waitOnly,
      { beat: 'search', options: ['wardens', 'both'] },
    ])
    t.equal(find(all, 'The alarm is over.').metadata.only_if, undefined)
  })

  t.test('lists the decision of an acknowledgement as the last condition', async (t) => {
    const { metadata } = find(all, 'I am telling them.')
    t.match(metadata, { kind: 'acknowledgement', only_if: [waitOnly, { beat: 'search' }] })
  })

  t.test('leaves the conditions of a message out of its replies', async (t) => {
    const { metadata } = find(all, 'One visitor sits in room nine.')
    t.equal(metadata.only_if, undefined)
    t.strictSame(find(all, 'Then it was right to open.').metadata.only_if, [openOnly])
    t.strictSame(find(all, 'We wait for the floors.').metadata.unless, [openOnly])
  })

  t.test('leaves out a reply to oneself only if both messages are on one path', async (t) => {
    const replies = all.find(({ content }) => content.startsWith('The alarm was'))?.thread_replies
    t.strictSame(
      replies?.map(({ content }) => content),
      ['Then it was right to open.', 'Then we wait for nothing.', 'We wait for the floors.'],
      'the last reply would follow another one of the lead if the doors are open',
    )
  })
})

t.test('A bundle of one path', async (t) => {
  t.test('has the acknowledgement of what participants decide, and no fallback', async (t) => {
    const texts = textsOn({ count: 'wait', search: 'both' })
    t.ok(texts.includes('The doors stay shut.') && texts.includes('The floors are walked.'))
    for (const text of [
      'I am opening the doors.',
      'No one has said a word. The doors stay shut.',
    ]) {
      t.notOk(texts.includes(text), text)
    }
  })

  t.test('has the fallback of a lapsed decision, and the lines of that option', async (t) => {
    const texts = textsOn({ count: 'lapsed', search: 'lapsed' })
    t.ok(texts.includes('No one has said a word. The doors stay shut.'))
    t.ok(texts.includes('Two hundred people stand in the rain.'))
    t.notOk(texts.includes('The doors stay shut.'), 'no one has decided')
    t.notOk(texts.includes('The floors are walked.'))
  })

  t.test('does not have lines that depend on a decision that is not asked', async (t) => {
    const texts = textsOn({ count: 'open', search: 'both' })
    t.ok(texts.includes('I am bringing the visitor a cup of tea.'))
    for (const text of [
      'Who walks the floors?',
      'I am telling them.',
      'The brigade asks for badges.',
    ]) {
      t.notOk(texts.includes(text), text)
    }
    t.ok(textsOn({ count: 'wait', search: 'both' }).includes('The brigade asks for badges.'))
  })

  t.test('has its messages at the same minutes as the bundle of all paths', async (t) => {
    for (const { content, metadata } of posts(messagesOf(branchedScenario(), { count: 'wait' }))) {
      t.equal(metadata.drill_minute, minuteOf(content), content)
    }
  })
})

t.test('In a drill', async (t) => {
  const asked = minuteOf('I have to say whether we open.')

  t.test('a decision lapses exactly at its deadline, as do its acknowledgements', async (t) => {
    const atDeadline = [
      'No one has said a word. The doors stay shut.',
      'The doors stay shut.',
      'I am opening the doors.',
      'Then let them in floor by floor.',
    ]
    for (const text of atDeadline) t.equal(minuteOf(text), asked + 6, text)
    t.equal(minuteOf('Then we wait for the fire brigade.'), minuteOf('Who walks the floors?') + 5)
  })

  t.test('a decision lapses at its deadline even if another one lapses in between', async (t) => {
    const page = branchedScenario()
      .replace(/after: decision_1\n {4}hours: 2/, 'after: decision_1\n    hours: 6')
      .replace('deadline_minutes: 5', 'deadline_minutes: 20')
      .replace(/after: news, hours: 1, only_if: .*?\}, /, 'after: decision_1, hours: 1, ')
    const messages = messagesOf(page)
    const minute = (text: string) => Number(find(messages, text).metadata.drill_minute)
    const first = minute('I have to say whether we open.')
    t.ok(minute('Then we wait for the fire brigade.') > first + 6, 'the second one has more time')
    t.equal(minute('No one has said a word. The doors stay shut.'), first + 6)
  })

  t.test('nothing that depends on a decision comes before its deadline', async (t) => {
    for (const text of [
      'Two hundred people are at their desks again.',
      'Two hundred people stand in the rain.',
    ]) {
      t.ok(minuteOf(text) >= asked + 6, text)
      const fallback = find(all, 'No one has said a word. The doors stay shut.') as BundleMessage
      const { offset_hours } = find(all, text) as BundleMessage
      t.ok(offset_hours > fallback.offset_hours, `${text}, also in offset_hours`)
    }
  })

  t.test('lines of different options take less time than lines of all paths', async (t) => {
    const withDesks = (condition: string) => {
      const lines = Array.from({ length: 24 }, (_, i) => {
        const place = 'kind: work, from: owner, channel: questions, after: decision_1, hours: 4'
        return `  - { id: desk_${i}, ${place}, ${condition}text: Desk ${i} is taken again. }\n`
      })
      return branchedScenario().replace(/^(?= {2}- id: news)/m, lines.join(''))
    }
    const waited = (messages: BundleMessage[]) => {
      const minute = (text: string) => Number(find(messages, text).metadata.drill_minute)
      return minute('The alarm was a burnt toast.') - minute('They are shut.')
    }
    const ofOneOption = 'only_if: { beat: count, options: [open] }, '
    t.ok(waited(messagesOf(withDesks(ofOneOption))) < waited(messagesOf(withDesks(''))) - 2)
  })

  t.test('a cause comes before its effect', async (t) => {
    const order = [
      'I have to say whether we open.',
      'Two hundred people are at their desks again.',
      'One visitor sits in room nine.',
      'I am bringing the visitor a cup of tea.',
    ].map(minuteOf)
    t.strictSame(
      order,
      order.toSorted((one, other) => one - other),
    )
  })
})
