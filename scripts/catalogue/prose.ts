import type { Catalogue, Scenario } from '../../src/blueprints/catalogue/entries.js'
import { measureBranches } from './branches.js'
import { unrecorded, wordingsIn } from './ledger.js'
import { type FindingAbout, largest, type Measured, none, within } from './measured.js'
import { repeatedIn, wordsOf } from './ngrams.js'
import { hasBranches, lapsingPath, onPath } from './paths.js'
import { saidIn, textsIn, type View, viewsOf } from './views.js'
import { incompleteIn, wordRules } from './wording-rules.js'

const any = Number.POSITIVE_INFINITY

/** Measures the texts of one scenario with six people and its own models. */
export function measureProse(catalogue: Catalogue, scenario: Scenario): Measured[] {
  const [control, intervention] = viewsOf(catalogue, scenario, 6)
  if (!control || !intervention) return []
  const about = { scenario: scenario.scenario_type }
  const isBranched = hasBranches(scenario)
  const { share, repeated } = repeatedIn(textsIn(onPath(control, lapsingPath(scenario)).posts))
  const message = repeated.slice(0, 5).join(' | ')
  return [
    ...(isBranched ? measureBranches(catalogue, scenario) : measureSize(control)),
    ...measureKinds(control),
    largest('repeated five-word sequences', 0.015, [{ share, about: { ...about, message } }]),
    ...measureArms(control, intervention),
    none('numbers and quotations outside the ledger', unrecordedIn(scenario)),
    ...wordRules(wordingsIn(scenario), isBranched ? [5, 40] : [8, 50]).map(({ rule, found }) =>
      none(
        rule,
        found.map((one) => ({ ...about, ...one })),
      ),
    ),
    none(
      'parts that a drill lacks',
      incompleteIn(scenario).map((message) => ({ ...about, message })),
    ),
  ]
}

/** Measures the length of a story without branches. */
function measureSize({ scenario, posts }: View): Measured[] {
  const about = { scenario: scenario.scenario_type }
  const story = posts.filter(({ origin }) => origin === 'story')
  const replies = story.flatMap((post) => post.replies.filter(({ origin }) => origin === 'story'))
  const words = [...story, ...replies].flatMap(({ text }) => wordsOf(text)).length
  return [
    within('root lines of the story', story.length, [15, 18], about),
    within('replies of the story', replies.length, [30, any], about),
    within('words of the story', words, [1200, 1500], about),
  ]
}

/** Counts the kinds of lines. */
function measureKinds({ scenario, posts }: View): Measured[] {
  const about = { scenario: scenario.scenario_type }
  const story = posts.filter(({ origin }) => origin === 'story')
  const count = (kind: string) => story.filter(({ line }) => line.kind === kind).length
  const lines = [...scenario.story, ...(scenario.voices ?? [])]
  const expected = lines.filter(({ expectation }) => expectation).length
  return [
    within('incidents', count('incident'), [2, 2], about),
    within('requests', count('request'), [1, any], about),
    within('decision points', count('decision_point'), [3, any], about),
    within('expectations beside them', expected, [3, any], about),
  ]
}

/** The arms should differ in at least three texts, and only in their words. */
function measureArms(control: View, intervention: View): Measured[] {
  const scenario = control.scenario.scenario_type
  const [one, other] = [textsByKey(control), textsByKey(intervention)]
  const lonely = [...one.keys(), ...other.keys()].filter((key) => !one.has(key) || !other.has(key))
  const pairs = [...one].filter(([key, text]) => other.has(key) && other.get(key) !== text)
  const uneven = pairs.flatMap(([line, text]): FindingAbout[] => {
    const [less, more] = [text, other.get(line) ?? ''].map((said) => wordsOf(said).length).sort()
    if (less === undefined || more === undefined || more - less <= 0.1 * more + 1) return []
    return [{ scenario, line, message: `${less} words in one arm, ${more} in the other` }]
  })
  return [
    within('posts that differ between the arms', pairs.length, [3, any], { scenario }),
    none('posts of one arm that are longer', uneven),
    none(
      'posts of one arm alone',
      lonely.map((line) => ({ scenario, line, message: 'it has no counterpart' })),
    ),
  ]
}

const textsByKey = ({ posts }: View) => new Map(saidIn(posts).map(({ key, text }) => [key, text]))

function unrecordedIn(scenario: Scenario): FindingAbout[] {
  const facts = (scenario.facts ?? []).map(({ fact }) => fact).sort((a, b) => b.length - a.length)
  const wordings = wordingsIn(scenario)
  return wordings.flatMap(({ text, ...where }) => {
    const said = wordings.filter((other) => other.text !== text).map((other) => other.text)
    return unrecorded(text, facts, said).map((what) => {
      return { scenario: scenario.scenario_type, ...where, message: `${what}: ${text}` }
    })
  })
}
