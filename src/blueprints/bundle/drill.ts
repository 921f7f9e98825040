import type { Scenario } from '../catalogue/entries.js'
import type { Scene } from './arms.js'

/** Characters post from minute 10, after the briefing, to minute 60 of a run of ninety. */
const play = { from: 10, to: 60 }

type Entry = { key: string; beat?: string; fallback_for?: string; deadline: number; gap: number }

/**
 * The minute of each post in a run of ninety, by its key. Posts keep the order of the calendar and an
 * even pace. The fallback of a decision comes when the deadline is over.
 */
export function drillMinutes(scenario: Scenario, scenes: Scene[]): Map<string, number> {
  const entries = withGaps(entriesOf(scenario, scenes))
  const minutes = new Map<string, number>()
  const due = new Map<string, number>()
  let now = play.from
  for (const { key, beat, fallback_for, deadline, gap } of entries) {
    now = Math.max(now + gap, due.get(fallback_for ?? '') ?? 0)
    minutes.set(key, Math.min(Math.floor(now), play.to - 1))
    if (beat && deadline > 0) due.set(beat, Math.floor(now) + deadline)
  }
  return minutes
}

function entriesOf({ decision_points = [] }: Scenario, scenes: Scene[]): Entry[] {
  const posts = scenes
    .flatMap(({ replies, ...scene }) => [
      scene,
      ...replies.map((reply) => ({ ...reply, line: null })),
    ])
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
  const once = [...new Map(posts.map((one) => [one.key, one])).values()]
  return once.map(({ key, line }) => {
    const { kind, beat, fallback_for } = line ?? {}
    const decision = decision_points.find((one) => kind === 'decision_point' && one.beat === beat)
    return { key, beat, fallback_for, deadline: decision?.deadline_minutes ?? 0, gap: 0 }
  })
}

/** Sets the gap before each entry: the deadline before a fallback, equal parts of the rest elsewhere. */
function withGaps(entries: Entry[]): Entry[] {
  for (const [i, { beat, deadline }] of entries.entries()) {
    if (deadline === 0) continue
    const last = entries.findIndex(({ fallback_for }) => fallback_for === beat)
    for (const entry of entries.slice(i + 1, last + 1)) entry.gap = deadline / (last - i)
  }
  const waited = entries.reduce((sum, { gap }) => sum + gap, 0)
  const free = entries.filter(({ gap }) => gap === 0)
  const share = Math.max(play.to - play.from - waited, 0) / free.length
  for (const entry of free) entry.gap = share
  return entries
}
