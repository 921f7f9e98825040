import {
  beatsIn,
  type Conditions,
  holdWith,
  joinConditions,
  outcomesOf,
} from '../catalogue/decisions/conditions.js'
import type { DecisionPoint, Scenario } from '../catalogue/entries.js'
import type { Scene } from './arms.js'

/** Characters post from minute 10, after the briefing, to minute 60 of a run of ninety. */
const play = { from: 10, to: 60 }

/** How long after its deadline a decision has its first consequence, in minutes: people read first. */
const consequenceAfter = 2

interface Entry {
  key: string
  conditions: Conditions
  /** The decision that the entry asks for. */
  asks?: DecisionPoint
  /** The decision that lapses with the entry. */
  lapses?: string
  /** How much of the time it takes: less if it is not said on all paths. */
  weight: number
  gap: number
}

/**
 * The minute of each post in a run of ninety, by its key. Posts keep the order of the calendar and an
 * even pace; posts of different options share their time. A decision lapses exactly at its deadline.
 * Its acknowledgements have that minute too, and all that depends on the decision comes two minutes
 * later or more.
 */
export function drillMinutes(scenario: Scenario, scenes: Scene[]): Map<string, number> {
  const decisions = scenario.decision_points ?? []
  const isAcknowledgement = ({ conditions }: Scene) => conditions.acknowledges !== undefined
  const others = scenes.filter((scene) => !isAcknowledgement(scene))
  const minutes = new Map<string, number>()
  const deadlines = new Map<string, number>()
  let [now, last] = [play.from, play.to - 1]
  for (const { key, conditions, asks, lapses, gap } of withGaps(entriesOf(decisions, others))) {
    const deadline = deadlines.get(lapses ?? '')
    now = Math.max(
      now + gap,
      deadline ?? 0,
      ...beatsIn(conditions).map((beat) => (deadlines.get(beat) ?? -1) + consequenceAfter),
    )
    last = Math.max(last, deadline ?? 0)
    if (asks) {
      now = Math.floor(now)
      deadlines.set(asks.beat, now + asks.deadline_minutes)
    }
    minutes.set(key, deadline ?? Math.min(Math.floor(now), last))
  }
  for (const { key, conditions, replies } of scenes.filter(isAcknowledgement)) {
    const deadline = deadlines.get(conditions.acknowledges ?? '') ?? last
    for (const said of [key, ...replies.map((reply) => reply.key)]) minutes.set(said, deadline)
  }
  return minutes
}

/** The posts and replies after the start in order of time, each once. */
function entriesOf(decisions: DecisionPoint[], scenes: Scene[]): Entry[] {
  const posts = scenes
    .flatMap(({ replies, ...scene }) => [
      scene,
      ...replies.map(({ conditions, ...reply }) => ({
        ...reply,
        conditions: joinConditions([scene.conditions, conditions]),
        line: null,
      })),
    ])
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
  const once = [...new Map(posts.map((one) => [one.key, one])).values()]
  return once.map(({ key, line, conditions }) => ({
    key,
    conditions,
    asks: decisions.find(({ beat }) => line?.kind === 'decision_point' && line.beat === beat),
    lapses: line?.kind === 'fallback' ? line.fallback_for : undefined,
    weight: shareOfPaths(conditions, decisions),
    gap: 0,
  }))
}

/** The share of all paths on which conditions hold. */
const shareOfPaths = (conditions: Conditions, decisions: DecisionPoint[]): number =>
  decisions.reduce((share, decision) => {
    const outcomes = outcomesOf(decision)
    const fitting = outcomes.filter((outcome) => holdWith(conditions, decision, outcome))
    return (share * fitting.length) / outcomes.length
  }, 1)

/** Sets the gap before each entry. Those who wait for a decision share its time, the others the rest. */
function withGaps(entries: Entry[]): Entry[] {
  let waited = 0
  for (const [i, { asks }] of entries.entries()) {
    if (!asks) continue
    const last = entries.findIndex(({ lapses }, at) => at > i && lapses === asks.beat)
    const end = entries[last]
    if (!end) continue
    const waiting = entries.slice(i + 1, last)
    for (const entry of waiting) entry.gap = asks.deadline_minutes / (waiting.length + 1)
    for (const entry of [...waiting, end]) entry.weight = 0
    waited += asks.deadline_minutes + consequenceAfter
  }
  const weights = entries.reduce((sum, { weight }) => sum + weight, 0)
  const share = Math.max(play.to - play.from - waited, 0) / Math.max(weights, 1)
  return entries.map((entry) => ({ ...entry, gap: entry.gap + share * entry.weight }))
}
