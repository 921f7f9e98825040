import type { Scenario } from '../../src/blueprints/catalogue/entries.js'
import { wordingsIn } from './ledger.js'
import { type FindingAbout, type Measured, none, within } from './measured.js'
import { wordsOf } from './ngrams.js'
import { medianOf, readingEase, sentencesOf } from './readability.js'

const any = Number.POSITIVE_INFINITY

/** Measures how easily a scenario is read: what is said in play, and what people read beside it. */
export function measureWords(scenario: Scenario): Measured[] {
  const said = wordingsIn(scenario).map(({ text }) => text)
  const vague = said.flatMap((text) => text.match(/\b(some|any|no|every)body\b/gi) ?? [])
  const { scenario_type } = scenario
  return [
    ...measureReading(scenario, said, ''),
    ...measureReading(scenario, textsBeside(scenario), ' beside the play'),
    within('somebody, anybody, nobody, everybody', vague.length, [0, 6], {
      scenario: scenario_type,
    }),
    none('sums that are wrong', wrongSums(scenario)),
  ]
}

/** Measures how easily texts are read. A placeholder counts as one word. */
function measureReading({ scenario_type }: Scenario, given: string[], where: string): Measured[] {
  const about = { scenario: scenario_type }
  const texts = given.map((text) => text.replace(/\{\w+\}/g, 'Ann'))
  const sentences = sentencesOf(texts)
  const lengths = sentences.map((sentence) => wordsOf(sentence).length)
  return [
    within(`reading ease after Flesch${where}`, Math.round(readingEase(texts)), [70, any], about),
    within(`words of a sentence at the median${where}`, medianOf(lengths), [0, 12], about),
    none(
      `sentences of more than 25 words${where}`,
      sentences
        .filter((sentence) => wordsOf(sentence).length > 25)
        .map((message) => ({ ...about, message })),
    ),
  ]
}

/** What participants and trainers read besides messages, documents and the cast. */
function textsBeside(scenario: Scenario): string[] {
  const { situation, participant_roles = [], beats = [], decision_points = [] } = scenario
  const { description, intervention, observer = [], debrief = [], run_sheet = [] } = scenario
  const { hypothesis, rubric } = scenario.experiment
  return [
    description,
    ...(situation ? [situation.place, situation.people, situation.stakes] : []),
    ...(situation?.terms ?? []).map(({ meaning }) => meaning),
    ...participant_roles.flatMap(({ brief, private_information, goal }) => {
      return [brief, private_information, goal]
    }),
    ...decision_points.flatMap(({ question, options, fallback }) => [
      question,
      ...options.flatMap(({ label, cost }) => [label, cost]),
      fallback,
    ]),
    ...beats.flatMap(({ learning_goal, debrief_question, facilitator_note }) => [
      learning_goal,
      debrief_question,
      ...Object.values(facilitator_note),
    ]),
    ...observer.map(({ watch }) => watch),
    ...debrief,
    ...run_sheet.map(({ facilitator }) => facilitator),
    intervention ?? '',
    hypothesis,
    ...rubric.flatMap(({ question, scale }) => [
      question,
      ...(scale.levels ?? []).map((level) => level.description),
    ]),
  ]
}

const sum =
  /(?<!(?:plus|minus|times) )(?<![\d.,])(\d[\d,]*(?:\.\d+)?) (plus|minus|times) (\d[\d,]*(?:\.\d+)?) (?:is|are|makes) (\d[\d,]*(?:\.\d+)?)/g

const figureIn = (text = '') => Number(text.replaceAll(',', ''))

/** Sums in figures that do not add up, such as 10.8 minus 2.6 is 8.1. */
function wrongSums({ scenario_type, artefacts = [], ...scenario }: Scenario): FindingAbout[] {
  const wordings = [
    ...wordingsIn({ scenario_type, ...scenario }),
    ...artefacts.map(({ key, text }) => ({ channel: 'artefacts', line: key, text })),
  ]
  return wordings.flatMap(({ text, ...where }) =>
    [...text.matchAll(sum)]
      .filter(([, one, sign, other, result]) => {
        const [a, b] = [figureIn(one), figureIn(other)]
        const right = sign === 'plus' ? a + b : sign === 'minus' ? a - b : a * b
        return Math.abs(right - figureIn(result)) > 0.001
      })
      .map(([message]) => ({ scenario: scenario_type, ...where, message })),
  )
}
