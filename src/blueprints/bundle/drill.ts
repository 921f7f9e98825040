import { beatsIn } from '../catalogue/decisions/conditions.js'
import type { Scenario } from '../catalogue/entries.js'
import type { Scene } from './arms.js'
import { type Entry, entriesOf } from './drill-entries.js'

/** Characters post from minute 10, after the briefing, to minute 60 of a run of ninety. */
const play = { from: 10, to: 60 }

/** How long after its deadline a decision has its first consequence, in minutes: people read first. */
const consequenceAfter = 2

/** How often the pace is halved to find it: to a few milliseconds. */
const paceSteps = 16

/**
 * The minute of each post in a run of ninety, by its key. Posts keep the order of the calendar and an
 * even pace; posts of different options share their time. Participants are asked one thing at a time.
 * A decision lapses exactly at its deadline. Its acknowledgements have that minute too, and all that
 * depends on the decision comes two minutes later or more.
 */
export function drillMinutes(scenario: Scenario, scenes: Scene[]): Map<string, number> {
  const decisions = scenario.decision_points ?? []
  const isAcknowledgement = ({ conditions }: Scene) => conditions.acknowledges !== undefined
  const others = scenes.filter((scene) => !isAcknowledgement(scene))
  const { minutes, deadlines, last } = minutesOf(entriesOf(decisions, others))
  for (const { key, conditions, replies } of scenes.filter(isAcknowledgement)) {
    const deadline = deadlines.get(conditions.acknowledges ?? '') ?? last
    for (const said of [key, ...replies.map((reply) => reply.key)]) minutes.set(said, deadline)
  }
  return minutes
}

/** The slowest even pace with which everything is said in time. */
function minutesOf(entries: Entry[]) {
  const weights = entries.reduce((sum, { weight }) => sum + weight, 0)
  let [slow, fast] = [(play.to - play.from) / Math.max(weights, 1), 0]
  for (let step = 0; step < paceSteps; step++) {
    const pace = (slow + fast) / 2
    if (placed(entries, pace).end > play.to) slow = pace
    else fast = pace
  }
  return placed(entries, fast)
}

/** Places each entry, `pace` minutes for a weight of one. */
function placed(entries: Entry[], pace: number) {
  const minutes = new Map<string, number>()
  const deadlines = new Map<string, number>()
  const answered = new Map<Entry, number>()
  let [now, last] = [play.from, play.to - 1]
  for (const entry of entries) {
    const { key, conditions, asks, answerMinutes, lapses } = entry
    const deadline = deadlines.get(lapses ?? '')
    now = Math.max(
      now + entry.gap + pace * entry.weight,
      deadline ?? 0,
      ...beatsIn(conditions).map((beat) => (deadlines.get(beat) ?? -1) + consequenceAfter),
      ...entry.waitsFor.map((ask) => answered.get(ask) ?? 0),
    )
    last = Math.max(last, deadline ?? 0)
    if (answerMinutes > 0) {
      now = Math.floor(now)
      answered.set(entry, now + answerMinutes)
    }
    if (asks) deadlines.set(asks.beat, now + answerMinutes)
    minutes.set(key, deadline ?? Math.min(Math.floor(now), last))
  }
  return { minutes, deadlines, last, end: now }
}
