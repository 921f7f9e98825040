import { measureBranches } from '../../../scripts/catalogue/branches.js'
import { measureCatalogue } from '../../../scripts/catalogue/measure.js'
import type { Measured } from '../../../scripts/catalogue/measured.js'
import { measureModels } from '../../../scripts/catalogue/models.js'
import { hasBranches, onPath, pathsOf, pathText } from '../../../scripts/catalogue/paths.js'
import { measureWords } from '../../../scripts/catalogue/plain-words.js'
import { findingsInPlay } from '../../../scripts/catalogue/play-rules.js'
import {
  medianOf,
  readingEase,
  sentencesOf,
  syllablesIn,
} from '../../../scripts/catalogue/readability.js'
import { minutesOf, sizes, type View, viewsOf } from '../../../scripts/catalogue/views.js'
import type { Post } from '../../../src/blueprints/bundle/script/utterances.js'
import type { Line, Scenario } from '../../../src/blueprints/catalogue/entries.js'
import { t } from '../../helpers/file.js'
import { branchedScenario, catalogueWith } from '../../helpers/own-scenario.js'

const catalogue = catalogueWith(branchedScenario())
const scenario = catalogue.scenarios.get('evacuation') as Scenario
const views = viewsOf(catalogue, scenario, 2)
const [control] = views
if (!control) throw new Error('There is no control arm')

const ruleIn = (measured: Measured[], name: string) => {
  const found = measured.find(({ rule }) => rule === name)
  if (!found) throw new Error(`There is no rule ${name}`)
  return found
}

t.test('pathsOf returns each path once, without decisions that are not asked on it', async (t) => {
  t.strictSame(pathsOf(control).map(pathText).toSorted(), [
    'count=lapsed,search=both',
    'count=lapsed,search=brigade',
    'count=lapsed,search=lapsed',
    'count=lapsed,search=wardens',
    'count=open',
    'count=wait,search=both',
    'count=wait,search=brigade',
    'count=wait,search=lapsed',
    'count=wait,search=wardens',
  ])
})

t.test(
  'Each path of a scenario with branches is composed in both arms of every team',
  async (t) => {
    const measured = measureCatalogue(catalogue, [scenario], { pairs: false })
    const arms = Number(ruleIn(measured, 'arms composed').figure)
    const withOwnModels = 2 * sizes.length
    // Alone, the lead asks for no decision. The other teams have nine paths.
    const onPaths = 2 * 1 + 2 * (sizes.length - 1) * 9
    t.equal(
      Number(ruleIn(measured, 'paths of arms composed').figure),
      arms - withOwnModels + onPaths,
    )
  },
)

t.test('Each broken rule of decisions is found', async (t) => {
  /** Returns the findings in all views on all paths after a change of one post. */
  function findingsWith(key: string, change: (post: Post) => Partial<Post>) {
    const changed = views.map((view): View => {
      const all = view.all.map((post) => (post.key === key ? { ...post, ...change(post) } : post))
      return { ...view, all, posts: all }
    })
    const minutes = minutesOf(changed)
    const paths = pathsOf(control as View)
    return paths.flatMap((path) =>
      findingsInPlay(
        changed.map((view) => onPath(view, path)),
        { minutes },
      ),
    )
  }
  const rulesWith = (...args: Parameters<typeof findingsWith>) =>
    new Set(findingsWith(...args).map(({ rule }) => rule))
  const decisionRules = [
    'a decision has its time',
    'what depends on a decision comes after it',
    'an acknowledgement asks for nothing',
  ]
  const unchanged = rulesWith('none', () => ({}))
  for (const rule of decisionRules) t.notOk(unchanged.has(rule), rule)

  const early = rulesWith('rain', ({ at }) => ({ at: at - 120 }))
  t.ok(early.has('what depends on a decision comes after it'))
  const asking = rulesWith('ack_open', ({ line }) => ({
    line: { ...line, expectation: { act: 'answer', deadline_minutes: 3 } },
  }))
  t.ok(asking.has('an acknowledgement asks for nothing'))
  const late = rulesWith('fallback_1', ({ line }) => ({ line: { ...line, kind: 'work' } }))
  t.ok(late.has('a decision has its time'), 'only a line of kind fallback is at the deadline')
  t.ok(
    rulesWith('opened', ({ line }) => ({ line: { ...line, after: 'rain' } })).has(
      'cause before effect',
    ),
    'the cause of the line is not posted on its path',
  )
})

/** The scenario with other lines. */
const withLines = (change: (line: Line) => Line[]): Scenario => ({
  ...scenario,
  story: scenario.story.flatMap(change),
})

t.test('Each broken measure of a scenario with branches is found', async (t) => {
  const findingsOf = (rule: string, other: Scenario) =>
    ruleIn(measureBranches(catalogue, other), rule).findings
  const plain = withLines((line) => [{ ...line, text: 'We go on now.', replies: [] }])
  const texted = (text: string) => withLines((line) => [{ ...line, text, replies: [] }])
  const long = texted(`${'We go on and on and on and on and '.repeat(4)}on.`)
  const heavy = texted('Organizational considerations necessitate immediate administrative action.')
  const more = withLines((line) =>
    Array.from({ length: line.id === 'news' ? 40 : 1 }, (_, i) => {
      return { ...line, id: i === 0 ? line.id : `${line.id}_${i}` }
    }),
  )
  const wordy = withLines((line) => [{ ...line, text: 'We go on and on. '.repeat(60).trim() }])
  for (const [rule, broken] of [
    ['reading ease after Flesch', heavy],
    ['sentences of more than 25 words', long],
    ['words of a sentence at the median', long],
  ] as const) {
    t.ok(ruleIn(measureWords(broken), rule).findings.length > 0, rule)
    t.strictSame(ruleIn(measureWords(plain), rule).findings, [], rule)
  }
  for (const [rule, broken] of [
    ['replies of the story on a path', more],
    ['messages in play with six people', more],
    ['messages in play with any team', more],
    ['words in play with six people', wordy],
    ['messages that models add', plain],
  ] as const) {
    t.ok(findingsOf(rule, broken).length > 0, rule)
  }
  for (const rule of ['replies of the story on a path', 'messages in play with six people']) {
    t.strictSame(findingsOf(rule, { ...plain, shared_model_lines: false }), [], rule)
  }
  t.match(findingsOf('root lines of the story on a path', scenario)[0], {
    path: 'count=open',
    message: / instead of 12 to 15$/,
  })
  t.strictSame(
    findingsOf('options without an acknowledgement or a later consequence', scenario).map(
      ({ line, message }) => `${line}: ${message}`,
    ),
    ['search: nothing later depends on brigade'],
  )
  t.match(
    findingsOf(
      'options without an acknowledgement or a later consequence',
      withLines((line) => (line.id === 'ack_open' ? [] : [line])),
    )[0],
    { line: 'count', message: 'no line acknowledges open' },
  )
  const unless = { beat: 'search', options: ['brigade'] }
  t.strictSame(
    findingsOf(
      'options without an acknowledgement or a later consequence',
      withLines((line) => (line.kind === 'consequence' ? [{ ...line, unless }] : [line])),
    ),
    [],
    'a line that is not said after an option is a consequence',
  )
})

t.test('A scenario branches also if lines only have unless', (t) => {
  const [line] = scenario.story.filter(({ only_if, replies }) => !only_if && !replies)
  if (!line) throw new Error('All lines have conditions or replies')
  const unless = { beat: 'search', options: ['brigade'] }
  const storyOf = (one: Line): Scenario => ({ ...scenario, story: [one], voices: [] })
  t.equal(hasBranches(storyOf(line)), false)
  t.equal(hasBranches(storyOf({ ...line, unless })), true)
  t.end()
})

t.test('The effect of the models is measured on the path that they change least', async (t) => {
  const isOpening = (line: Line) => ['ack_open', 'opened'].includes(line.id)
  const other: Scenario = {
    ...withLines((line) => {
      const texts = { hierarchy: `${line.id} as ordered.`, market: `${line.id} for a price.` }
      return [isOpening(line) ? { ...line, text: { org_culture: texts } } : line]
    }),
    shared_model_lines: false,
  }
  const { findings } = ruleIn(measureModels(catalogue, other), 'posts that a value changes')
  t.match(
    findings.find(({ models }) => models === 'org_culture market'),
    { message: 'changes 0 texts' },
  )
})

t.test('A scenario without shared model lines may keep more when all models change', async (t) => {
  const boundOf = (shared_model_lines: boolean) =>
    ruleIn(
      measureModels(catalogue, { ...scenario, shared_model_lines }),
      'five-word sequences kept when all eight change',
    ).bound
  t.equal(boundOf(true), 'at most 40.0 %')
  t.equal(boundOf(false), 'at most 50.0 %')
})

t.test('The reading ease counts sentences, words and syllables', async (t) => {
  const counts = { the: 1, table: 2, makes: 1, wanted: 2, called: 1, houses: 2, authority: 4 }
  for (const [word, syllables] of Object.entries(counts))
    t.equal(syllablesIn(word), syllables, word)
  t.strictSame(sentencesOf(['It costs 8.9 days. Who pays?\n- a list']), [
    'It costs 8.9 days.',
    'Who pays?',
    '- a list',
  ])
  // 206.835 - 1.015 * (4 words / 1 sentence) - 84.6 * (5 syllables / 4 words)
  t.equal(readingEase(['We wait for visitors.']).toFixed(3), (206.835 - 4.06 - 126.9).toFixed(3))
  t.equal(medianOf([9, 1, 4]), 4)
})
