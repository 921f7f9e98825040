import { beatsIn, conditionsOf } from '../../catalogue/decisions/conditions.js'
import { listOf } from '../../catalogue/entries.js'
import type { Cue } from './script.js'

/**
 * Sorts lines so that each one follows its causes, and the question and the fallback of each decision
 * on which it depends. Otherwise the order of the files stays.
 */
export function sortByCause(cues: Cue[]): Cue[] {
  const causesOf = causesIn(cues)
  const ordered = new Set<Cue>()
  const visit = (cue: Cue, above: ReadonlySet<Cue>): void => {
    if (ordered.has(cue) || above.has(cue)) return
    for (const cause of causesOf(cue)) visit(cause, new Set(above).add(cue))
    ordered.add(cue)
  }
  for (const cue of cues) visit(cue, new Set())
  return [...ordered]
}

function causesIn(cues: Cue[]): (cue: Cue) => Cue[] {
  const byId = new Map<string, Cue>()
  const ofDecisions: Cue[] = []
  for (const cue of cues) {
    byId.set(cue.line.id, cue)
    for (const { reply } of cue.replies) if (reply.id) byId.set(reply.id, cue)
    if (cue.line.kind === 'decision_point' || cue.line.fallback_for) ofDecisions.push(cue)
  }
  return ({ line }) => {
    const beats = beatsIn(conditionsOf(line))
    const decisions = ofDecisions.filter((other) => {
      const { kind, beat = '', fallback_for: lapsing = '' } = other.line
      const isAsk = kind === 'decision_point' && beats.includes(beat)
      return isAsk || beats.includes(lapsing)
    })
    return [...listOf(line.after).flatMap((id) => byId.get(id) ?? []), ...decisions]
  }
}
