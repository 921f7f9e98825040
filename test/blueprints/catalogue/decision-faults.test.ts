import { catalogueFrom } from '../../../src/blueprints/catalogue/load.js'
import { t } from '../../helpers/file.js'
import { branchedScenario, builtIn, catalogueWith } from '../../helpers/own-scenario.js'

/** Returns the message that refuses the changed scenario, or an empty text. */
function refusalOf(from: string, to: string): string {
  const page = branchedScenario()
  if (!page.includes(from)) throw new Error(`The scenario has no ${from}`)
  try {
    catalogueWith(page.replace(from, to))
    return ''
  } catch (error) {
    return String(error)
  }
}

const openOnly = 'only_if: { beat: count, options: [open] }'
/** The beginning of the story with one more line. */
const line = (id: string, more: string) =>
  `story:\n  - { id: ${id}, kind: work, from: owner, channel: home, hours: 9, text: On to the next., ${more} }`

t.test('A scenario with branches is accepted', async (t) => {
  t.ok(catalogueWith(branchedScenario()))
  t.equal(
    refusalOf('story:', line('later', `after: rain, unless: { beat: count, options: [open] }`)),
    '',
  )
})

t.test('A scenario with branches is refused, with the line of the fault, when', async (t) => {
  const faulty: [string, string, string, RegExp][] = [
    [
      'two options have the same key',
      'option: wait,',
      'option: open,',
      /another option has the key open/,
    ],
    [
      'an option is called lapsed',
      'option: both,',
      'option: lapsed,',
      /no option is called lapsed/,
    ],
    [
      'a fallback option is unknown',
      'fallback_option: wait',
      'fallback_option: x',
      /x is no option of/,
    ],
    ['an unknown role decides', '[warden]', '[mayor]', /there is no participant role mayor/],
    [
      'a condition names an unknown decision',
      openOnly,
      openOnly.replace('count', 'alarm'),
      /alarm is no decision/,
    ],
    [
      'a condition names an unknown option',
      openOnly,
      openOnly.replace('[open', '[shut'),
      /shut is no option of count/,
    ],
    [
      'a condition of a reply names an unknown option',
      'unless: { beat: count, options: [open] }',
      'unless: { beat: count, options: [shut] }',
      /shut is no option of count/,
    ],
    [
      'an acknowledgement has no decision',
      `${openOnly}\n    text: I am opening`,
      'text: I am opening',
      /an acknowledgement has one decision in only_if/,
    ],
    [
      'an acknowledgement has two decisions',
      `${openOnly}\n    text: I am opening`,
      `only_if: [${openOnly.slice(9)}, { beat: search, options: [both] }]\n    text: I am opening`,
      /an acknowledgement has one decision in only_if/,
    ],
    [
      'an acknowledgement does not follow its question',
      'channel: home\n    after: decision_1\n    hours: 1\n    only_if',
      'channel: home\n    after: error\n    hours: 1\n    only_if',
      /it comes after the line that asks count/,
    ],
    [
      'a line comes after an acknowledgement',
      'story:',
      line('later', 'after: ack_open'),
      /ack_open is not said when the decision lapses/,
    ],
    [
      'a question depends on its own decision',
      'kind: decision_point, beat: count,',
      `kind: decision_point, beat: count, ${openOnly},`,
      /decision_1 depends on a decision that waits for decision_1/,
    ],
    [
      'two questions depend on each other',
      'kind: decision_point, beat: count,',
      'kind: decision_point, beat: count, only_if: { beat: search, options: [both] },',
      /decision_1 depends on a decision that waits for decision_1/,
    ],
    [
      'a line and its cause exclude each other',
      'story:',
      line('later', 'after: rain, only_if: { beat: count, options: [open] }'),
      /no path reaches later/,
    ],
    [
      'two conditions of a line exclude each other',
      'story:',
      line('later', `after: news, ${openOnly}, unless: { beat: count, options: [open] }`),
      /no path reaches later/,
    ],
    [
      'a line needs a decision that is not asked on its path',
      'story:',
      line('later', `after: opened, only_if: { beat: search, options: [both] }`),
      /no path reaches later/,
    ],
    [
      'every option excludes a line',
      'story:',
      line('later', 'after: news, unless: { beat: count, options: [open, wait] }'),
      /no path reaches later/,
    ],
    [
      'a line after a fallback needs another option',
      'story:',
      line('later', `after: fallback_1, ${openOnly}`),
      /no path reaches later/,
    ],
    [
      'a line waits for two decisions to lapse',
      'story:',
      line('later', 'after: [fallback_1, fallback_2]'),
      /it waits for count and search to lapse/,
    ],
    [
      'a reply and its message exclude each other',
      'minutes: 3, text: One',
      'minutes: 3, only_if: { beat: count, options: [wait] }, text: One',
      /no path reaches this reply/,
    ],
  ]
  for (const [what, from, to, message] of faulty) {
    t.test(what, async (t) => {
      const refusal = refusalOf(from, to)
      t.match(refusal, message)
      t.match(refusal, /drill\.yaml:[1-9]\d*: /)
    })
  }
})

t.test('A model is refused when one of its lines depends on a decision', async (t) => {
  const files = builtIn.map((file) => {
    if (file.name !== 'models/org_culture/clan.yaml') return file
    const { lines, ...model } = file.data as { lines: object[] }
    const [first, ...others] = lines
    const changed = { ...first, only_if: { beat: 'repair', options: ['by_hand'] } }
    return { ...file, data: { ...model, lines: [changed, ...others] } }
  })
  t.throws(() => catalogueFrom(files), /clan\.yaml:\d+: only the lines of a scenario depend on/)
})
