import { acknowledgedAsk } from '../../channel-templates/branches/acknowledged-ask.js'
import type { Line } from './lines.js'

/** One transaction posts all acknowledgements of a decision. */
export const maxAcknowledgements = 1_000

/**
 * Marks the acknowledgements of decisions, with their replies, and moves them to the deadline. A
 * reply that is a fallback keeps its time.
 */
export function markAcknowledgements(sorted: Line[], asks: ReadonlyMap<string, Line>): void {
  for (const line of sorted) {
    const beat = line.parent ? line.parent.acknowledges : beatOf(line, asks)
    const ask = beat === null ? undefined : asks.get(beat)
    if (!ask || line.fallback_for !== null) continue
    line.acknowledges = beat
    line.offset_ms = ask.deadline_ms
  }
}

function beatOf(line: Line, asks: ReadonlyMap<string, Line>): string | null {
  if (!line.isAcknowledgement) return null
  const only_if = line.conditions?.only_if ?? []
  const timeOf = ({ offset_ms }: Line) => Number(offset_ms)
  const ask = acknowledgedAsk(only_if, (beat) => asks.get(beat), timeOf)
  return ask?.decision?.beat ?? null
}

/** The acknowledgements of a plan that are too many for one decision. */
export function surplusAcknowledgements(lines: Line[]): Line[] {
  const counts = new Map<string, number>()
  return lines.filter(({ acknowledges }) => {
    if (acknowledges === null) return false
    const count = (counts.get(acknowledges) ?? 0) + 1
    counts.set(acknowledges, count)
    return count > maxAcknowledgements
  })
}
