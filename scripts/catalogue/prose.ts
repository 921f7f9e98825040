import type { Catalogue, Scenario } from '../../src/blueprints/catalogue/entries.js'
import { measureArms } from './arms.js'
import { measureBranches } from './branches.js'
import { unrecorded, wordingsIn } from './ledger.js'
import { type FindingAbout, largest, type Measured, none, within } from './measured.js'
import { repeatedIn } from './ngrams.js'
import { lapsingPath, onPath } from './paths.js'
import { measureWords } from './plain-words.js'
import { textsIn, type View, viewsOf } from './views.js'
import { incompleteIn, wordRules } from './wording-rules.js'

const any = Number.POSITIVE_INFINITY

/** Measures the texts of one scenario with six people and its own models. */
export function measureProse(catalogue: Catalogue, scenario: Scenario): Measured[] {
  const [control, intervention] = viewsOf(catalogue, scenario, 6)
  if (!control || !intervention) return []
  const about = { scenario: scenario.scenario_type }
  const { share, repeated } = repeatedIn(textsIn(onPath(control, lapsingPath(scenario)).posts))
  const message = repeated.slice(0, 5).join(' | ')
  return [
    ...measureBranches(catalogue, scenario),
    ...measureWords(scenario),
    ...measureKinds(control),
    largest('repeated five-word sequences', 0.015, [{ share, about: { ...about, message } }]),
    ...measureArms(control, intervention),
    none('numbers and quotations outside the ledger', unrecordedIn(scenario)),
    ...wordRules(wordingsIn(scenario), [5, 40]).map(({ rule, found }) =>
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
