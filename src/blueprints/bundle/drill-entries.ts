import {
  type Conditions,
  holdWith,
  joinConditions,
  outcomesOf,
} from '../catalogue/decisions/conditions.js'
import type { DecisionPoint } from '../catalogue/entries.js'
import type { Scene } from './arms.js'
import type { Member } from './cast.js'

/** A post or a reply whose minute is looked for. */
export interface Entry {
  key: string
  member: Member
  /** Where it opens a thread. A reply opens none. */
  channel: string | null
  conditions: Conditions
  /** The decision that the entry asks for. */
  asks?: DecisionPoint
  /** How many minutes participants have to answer the entry. */
  answerMinutes: number
  /** The earlier asks that it waits for. */
  waitsFor: Entry[]
  /** The decision that lapses with the entry. */
  lapses?: string
  /** How much of the time it takes: less if it is not said on all paths. */
  weight: number
  /** The minutes of the decision before it, which it waits for. */
  gap: number
}

/** The posts and replies after the start in order of time, each once, and what each one waits for. */
export function entriesOf(decisions: DecisionPoint[], scenes: Scene[]): Entry[] {
  const entries = inOrder(decisions, scenes)
  for (const [i, entry] of entries.entries()) {
    entry.waitsFor = entries.slice(0, i).filter((one) => isAwaited(one, entry, decisions))
  }
  return withGaps(entries)
}

/**
 * Whether a later entry waits until participants have had the time to answer an ask: who asks is
 * silent meanwhile, and no one opens a thread in that channel or asks for something else. It does not
 * wait for an ask that is on other paths.
 */
function isAwaited(ask: Entry, later: Entry, decisions: DecisionPoint[]): boolean {
  if (ask.answerMinutes === 0) return false
  const isHeld =
    later.answerMinutes > 0 || later.member === ask.member || later.channel === ask.channel
  const together = joinConditions([ask.conditions, later.conditions])
  return isHeld && shareOfPaths(together, decisions) > 0
}

function inOrder(decisions: DecisionPoint[], scenes: Scene[]): Entry[] {
  const posts = scenes
    .flatMap(({ replies, ...scene }) => [
      scene,
      ...replies.map(({ conditions, ...reply }) => ({
        ...reply,
        conditions: joinConditions([scene.conditions, conditions]),
        line: null,
        channel: null,
      })),
    ])
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
  const once = [...new Map(posts.map((one) => [one.key, one])).values()]
  return once.map(({ key, member, channel, line, conditions }) => {
    const asks = decisions.find(({ beat }) => line?.kind === 'decision_point' && line.beat === beat)
    return {
      key,
      member,
      channel,
      conditions,
      asks,
      answerMinutes: (asks ?? line?.expectation)?.deadline_minutes ?? 0,
      waitsFor: [],
      lapses: line?.kind === 'fallback' ? line.fallback_for : undefined,
      weight: shareOfPaths(conditions, decisions),
      gap: 0,
    }
  })
}

/** The share of all paths on which conditions hold. */
const shareOfPaths = (conditions: Conditions, decisions: DecisionPoint[]): number =>
  decisions.reduce((share, decision) => {
    const outcomes = outcomesOf(decision)
    const fitting = outcomes.filter((outcome) => holdWith(conditions, decision, outcome))
    return (share * fitting.length) / outcomes.length
  }, 1)

/** Sets the gap of those who wait for a decision: they share its time and take none of the rest. */
function withGaps(entries: Entry[]): Entry[] {
  for (const [i, { asks }] of entries.entries()) {
    if (!asks) continue
    const last = entries.findIndex(({ lapses }, at) => at > i && lapses === asks.beat)
    const end = entries[last]
    if (!end) continue
    const waiting = entries.slice(i + 1, last)
    for (const entry of waiting) entry.gap = asks.deadline_minutes / (waiting.length + 1)
    for (const entry of [...waiting, end]) entry.weight = 0
  }
  return entries
}
