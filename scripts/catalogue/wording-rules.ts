import { type Scenario, slots } from '../../src/blueprints/catalogue/entries.js'
import type { FindingAbout } from './measured.js'
import { wordsOf } from './ngrams.js'

/** A text with its channel and line. */
export type Wording = { channel: string; line: string; text: string }

const days = 'mon|tues|wednes|thurs|fri|satur|sun'
const months = 'january|february|march|april|june|july|august|september|october|november|december'
const time = new RegExp(
  `\\b(${days})days?\\b|\\b(${months})\\b|\\b\\d{1,2}:\\d\\d\\b|o'clock|\\b\\d+ ?(am|pm)\\b`,
  'i',
)
const notTheMonth = /\bmarch (to|on|in|into|past)\b/gi
const name = `\\{(${slots.join('|')})\\}`
const thanks = new RegExp(`thank[^.?!]*${name}|${name}[^.?!]{0,12}thank`, 'i')

/** The rules for every text, with the least and the most words that one may have. */
export function wordRules(
  wordings: Wording[],
  [least, most] = [8, 50],
): { rule: string; found: FindingAbout[] }[] {
  const findingsWhere = (isFaulty: (text: string) => boolean): FindingAbout[] =>
    wordings
      .filter(({ text }) => isFaulty(text))
      .map(({ text, ...where }) => ({ ...where, message: text }))
  return [
    {
      rule: `texts of less than ${least} or more than ${most} words`,
      found: findingsWhere((text) => {
        const { length } = wordsOf(text)
        return length < least || length > most
      }),
    },
    {
      rule: 'clock times, weekdays, months',
      found: findingsWhere((text) => time.test(text.replace(notTheMonth, ''))),
    },
    { rule: 'thanks by name', found: findingsWhere((text) => thanks.test(text)) },
  ]
}

const phases = { brief: [0, 10], play: [10, 60], self_rating: [60, 65], debrief: [65, 90] } as const

/** The parts that a drill needs and the scenario lacks. */
export function incompleteIn(scenario: Scenario): string[] {
  const { participant_roles = [], beats = [], decision_points = [] } = scenario
  const { rubric } = scenario.experiment
  const usedBeats = new Set(scenario.story.map(({ beat }) => beat))
  return [
    ...(participant_roles.length > 0 ? [] : ['no participant role']),
    ...(decision_points.length >= 3 ? [] : ['fewer than three decision points']),
    ...(scenario.intervention ? [] : ['no intervention']),
    ...(rubric.length >= 4 && rubric.length <= 6 ? [] : [`${rubric.length} rubric items`]),
    ...runSheetGaps(scenario),
    ...unwrittenIn(scenario),
    ...beats
      .filter(({ beat }) => !usedBeats.has(beat))
      .map(({ beat }) => `no line has the beat ${beat}`),
    ...rubric
      .filter(({ scale, rater, evidence }) => {
        const levels = (scale.levels ?? []).map(({ value }) => value)
        return !rater || !evidence || ![1, 3, 5].every((value) => levels.includes(value))
      })
      .map(({ criterion }) => `${criterion}: anchors, rater or evidence are missing`),
  ]
}

/** The parts that every scenario of the catalogue has. */
function unwrittenIn({ situation, solo, artefacts, observer = [], debrief }: Scenario): string[] {
  return [
    ...(situation ? [] : ['no situation']),
    ...(solo === undefined ? ['solo is not said'] : []),
    ...(artefacts ? [] : ['no artefacts']),
    ...(coveredFrom(10, observer) >= 60 ? [] : ['the observer has nothing for a part of the play']),
    ...(/on Monday I will$/i.test(debrief?.at(-1) ?? '')
      ? []
      : ['the debrief does not end in "on Monday I will"']),
  ]
}

interface Span {
  from_minute: number
  to_minute: number
}

/** The minute to which spans reach without a gap; -1 with one. */
const reachedFrom = (from: number, spans: Span[]): number =>
  spans.reduce((at, span) => (span.from_minute === at ? span.to_minute : -1), from)

/** The minute up to which spans leave no gap. They may overlap. */
const coveredFrom = (from: number, spans: Span[]): number =>
  spans.reduce(
    (at, { from_minute, to_minute }) => (from_minute <= at ? Math.max(at, to_minute) : at),
    from,
  )

/** Ten minutes of briefing, fifty of play, five of self-rating, twenty-five of debriefing. */
function runSheetGaps({ run_sheet = [] }: Scenario): string[] {
  return Object.entries(phases).flatMap(([phase, [from, to]]) => {
    const entries = run_sheet.filter((entry) => entry.phase === phase)
    return reachedFrom(from, entries) === to
      ? []
      : [`the run sheet has no ${phase} from ${from} to ${to}`]
  })
}
