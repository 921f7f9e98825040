import { type Scenario, slots } from '../../src/blueprints/catalogue/entries.js'
import type { Found } from './measured.js'
import { wordsOf } from './ngrams.js'

/** A text as it is written, and where it is said. */
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

/** What no text may be, whoever says it. */
export function wordRules(wordings: Wording[]): { rule: string; found: Found[] }[] {
  const those = (isFaulty: (text: string) => boolean): Found[] =>
    wordings
      .filter(({ text }) => isFaulty(text))
      .map(({ text, ...place }) => ({ ...place, message: text }))
  return [
    { rule: 'texts of less than 8 or more than 50 words', found: those(isUnfit) },
    {
      rule: 'clock times, weekdays, months',
      found: those((text) => time.test(text.replace(notTheMonth, ''))),
    },
    { rule: 'thanks by name', found: those((text) => thanks.test(text)) },
  ]
}

function isUnfit(text: string): boolean {
  const { length } = wordsOf(text)
  return length < 8 || length > 50
}

const phases = { brief: [0, 10], play: [10, 60], self_rating: [60, 65], debrief: [65, 90] } as const

/** What a trainer needs and the scenario lacks. */
export function incompleteIn(scenario: Scenario): string[] {
  const { participant_roles = [], beats = [], decision_points = [] } = scenario
  const { rubric } = scenario.experiment
  const told = new Set(scenario.story.map(({ beat }) => beat))
  return [
    ...(participant_roles.length > 0 ? [] : ['no participant role']),
    ...(decision_points.length >= 3 ? [] : ['fewer than three decision points']),
    ...(scenario.intervention ? [] : ['no intervention']),
    ...(rubric.length >= 4 && rubric.length <= 6 ? [] : [`${rubric.length} rubric items`]),
    ...runSheetGaps(scenario),
    ...beats.filter(({ beat }) => !told.has(beat)).map(({ beat }) => `nobody tells ${beat}`),
    ...rubric
      .filter(({ scale, rater, evidence }) => {
        const levels = (scale.levels ?? []).map(({ value }) => value)
        return !rater || !evidence || ![1, 3, 5].every((value) => levels.includes(value))
      })
      .map(({ criterion }) => `${criterion}: anchors, rater or evidence are missing`),
  ]
}

/** Ten minutes of briefing, fifty of play, five of rating oneself, twenty-five of debriefing. */
function runSheetGaps({ run_sheet = [] }: Scenario): string[] {
  return Object.entries(phases).flatMap(([phase, [from, to]]) => {
    const entries = run_sheet.filter((entry) => entry.phase === phase)
    const reached = entries.reduce(
      (at, entry) => (entry.from_minute === at ? entry.to_minute : -1),
      from as number,
    )
    return reached === to ? [] : [`the run sheet has not ${from} to ${to} as ${phase}`]
  })
}
