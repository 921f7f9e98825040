import type { Catalogue, Scenario } from '../../src/blueprints/catalogue/entries.js'
import { slots } from '../../src/blueprints/catalogue/entries.js'
import { unrecorded, wordingsIn } from './ledger.js'
import { repeatedIn, wordsOf } from './ngrams.js'
import { type Finding, saidIn, textsIn, type View, viewsOf } from './views.js'

/** A figure beside its bound, and what breaks the bound. */
export interface Measured {
  rule: string
  bound: string
  figure: string
  findings: Finding[]
}

type Found = Omit<Finding, 'rule' | 'scenario'>

const between = (figure: number, least: number, most: number) => figure >= least && figure <= most

/** What is measured in the story of one scenario, six people, its own models. */
export function measureProse(catalogue: Catalogue, scenario: Scenario): Measured[] {
  const [control, intervention] = viewsOf(catalogue, scenario, 6)
  if (!control || !intervention) return []
  const story = control.posts.filter(({ origin }) => origin === 'story')
  const replies = story.flatMap((post) => post.replies.filter(({ origin }) => origin === 'story'))
  const texts = [...story, ...replies].map(({ text }) => text)
  const words = texts.flatMap(wordsOf).length
  const lengths = wordingsIn(scenario).map(({ text, line }) => ({
    line,
    text,
    words: wordsOf(text).length,
  }))
  const unfit = lengths.filter((one) => !between(one.words, 8, 50))
  const count = (kind: string) => story.filter(({ line }) => line.kind === kind).length
  const { share, repeated } = repeatedIn(textsIn(control.posts))
  const pairs = pairsOf(control, intervention)
  const uneven = pairs.filter(
    ({ one, other }) => Math.abs(one - other) > 0.1 * Math.max(one, other) + 1,
  )
  const rule = measuring(scenario)

  return [
    rule('root lines of the story', '15 to 18', story.length, between(story.length, 15, 18)),
    rule('replies of the story', 'at least 30', replies.length, replies.length >= 30),
    rule('words of the story', '1,200 to 1,500', words, between(words, 1200, 1500)),
    rule(
      'texts of 8 to 50 words',
      'all',
      unfit.length,
      unfit.map(({ line, text, words }) => {
        return { line, message: `${words} words: ${text}` }
      }),
    ),
    rule('incidents', '2', count('incident'), count('incident') === 2),
    rule('requests', 'at least 1', count('request'), count('request') >= 1),
    rule('decision points', 'at least 3', count('decision_point'), count('decision_point') >= 3),
    rule('expectations beside them', 'at least 3', expected(scenario), expected(scenario) >= 3),
    rule(
      'repeated five-word sequences',
      'at most 1.5 %',
      percent(share),
      share <= 0.015 ? [] : repeated.map((one) => ({ message: one })),
    ),
    rule('posts that differ between the arms', 'at least 3', pairs.length, pairs.length >= 3),
    rule(
      'their lengths',
      'equal',
      uneven.length,
      uneven.map(({ line, one, other }) => {
        return { line, message: `${one} words in control, ${other} in intervention` }
      }),
    ),
    rule('numbers and quotations in the ledger', 'all', ...unrecordedIn(scenario)),
    rule('clock times, weekdays, months', 'none', ...timesIn(scenario)),
    rule('thanks by name', 'none', ...thanksIn(scenario)),
    rule('parts of a drill', 'complete', ...incompleteIn(scenario)),
  ]
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

function measuring({ scenario_type: scenario }: Scenario) {
  return (
    rule: string,
    bound: string,
    figure: number | string,
    result: boolean | Found[],
  ): Measured => {
    const missed = [{ message: `${figure} where ${bound} is asked for` }]
    const found = Array.isArray(result) ? result : result ? [] : missed
    const findings = found.map((one) => ({ rule, scenario, ...one }))
    return { rule, bound, figure: String(figure), findings }
  }
}

const expected = ({ story, voices = [] }: Scenario) =>
  [...story, ...voices].filter(({ expectation }) => expectation).length

/** Texts that an arm says in other words. */
function pairsOf(control: View, intervention: View) {
  const others = new Map(saidIn(intervention.posts).map((one) => [one.key, one]))
  return saidIn(control.posts).flatMap(({ key, text }) => {
    const other = others.get(key)
    if (!other || other.text === text) return []
    return [{ line: key, one: wordsOf(text).length, other: wordsOf(other.text).length }]
  })
}

type Counted = [number, Found[]]
const counted = (found: Found[]): Counted => [found.length, found]

function unrecordedIn(scenario: Scenario): Counted {
  const facts = (scenario.facts ?? []).map(({ fact }) => fact).sort((a, b) => b.length - a.length)
  const wordings = wordingsIn(scenario)
  return counted(
    wordings.flatMap(({ line, text }) => {
      const said = wordings.filter((other) => other.text !== text).map((other) => other.text)
      return unrecorded(text, facts, said).map((what) => ({ line, message: `${what}: ${text}` }))
    }),
  )
}

const days = 'mon|tues|wednes|thurs|fri|satur|sun'
const months = 'january|february|march|april|june|july|august|september|october|november|december'
const time = new RegExp(
  `\\b(${days})days?\\b|\\b(${months})\\b|\\b\\d{1,2}:\\d\\d\\b|o'clock|\\b\\d+ ?(am|pm)\\b`,
  'i',
)

const timesIn = (scenario: Scenario): Counted =>
  counted(
    wordingsIn(scenario)
      .filter(({ text }) => time.test(text.replace(/\bmarch (to|on|in|into|past)\b/i, '')))
      .map(({ line, text }) => ({ line, message: text })),
  )

const thanked = new RegExp(
  `thank[^.?!]*\\{(${slots.join('|')})\\}|\\{(${slots.join('|')})\\}[^.?!]{0,12}thank`,
  'i',
)

const thanksIn = (scenario: Scenario): Counted =>
  counted(
    wordingsIn(scenario)
      .filter(({ text }) => thanked.test(text))
      .map(({ line, text }) => ({ line, message: text })),
  )

/** What a trainer needs and the scenario lacks. */
function incompleteIn(scenario: Scenario): Counted {
  const { participant_roles = [], beats = [], decision_points = [], run_sheet = [] } = scenario
  const { rubric } = scenario.experiment
  const told = new Set(scenario.story.map(({ beat }) => beat))
  const covered = run_sheet.every(
    ({ from_minute }, i) => from_minute === (run_sheet[i - 1]?.to_minute ?? 0),
  )
  const phases = new Set(run_sheet.map(({ phase }) => phase))
  const missing = [
    [participant_roles.length > 0, 'no participant role'],
    [decision_points.length >= 3, 'fewer than three decision points'],
    [scenario.intervention !== undefined, 'no intervention'],
    [between(rubric.length, 4, 6), `${rubric.length} rubric items`],
    [covered && run_sheet.at(-1)?.to_minute === 90, 'a run sheet that has not ninety minutes'],
    [phases.size === 4, 'a run sheet without one of its phases'],
  ] as const
  return counted([
    ...missing.filter(([has]) => !has).map(([, message]) => ({ message })),
    ...beats
      .filter(({ beat }) => !told.has(beat))
      .map(({ beat }) => ({ message: `nobody tells ${beat}` })),
    ...rubric
      .filter(({ scale, rater, evidence }) => {
        const levels = (scale.levels ?? []).map(({ value }) => value)
        return !rater || !evidence || ![1, 3, 5].every((value) => levels.includes(value))
      })
      .map(({ criterion }) => ({
        message: `${criterion}: anchors, rater or evidence are missing`,
      })),
  ])
}
