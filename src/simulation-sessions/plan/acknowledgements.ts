import {
  acknowledgedAsk,
  isAcknowledgement,
} from '../../channel-templates/branches/acknowledgement.js'
import type { Line } from './lines.js'

/** One transaction posts all that follow a decision. Further lines are posted at its deadline. */
export const maxAcknowledgements = 1_000

/**
 * Marks the messages that acknowledge a decision, with their replies, and moves them to its deadline. A reply that
 * is the fallback of another decision keeps its time.
 */
export function markAcknowledgements(sorted: Line[], asks: ReadonlyMap<string, Line>): void {
  const counts = new Map<string, number>()
  for (const line of sorted) {
    const beat = line.parent ? line.parent.acknowledges : beatAcknowledgedBy(line, asks)
    const ask = beat === null ? undefined : asks.get(beat)
    if (beat === null || !ask || line.lapses !== null) continue
    const count = counts.get(beat) ?? 0
    line.offset_ms = ask.deadline_ms
    if (count === maxAcknowledgements) continue
    counts.set(beat, count + 1)
    line.acknowledges = beat
  }
}

function beatAcknowledgedBy(line: Line, asks: ReadonlyMap<string, Line>): string | null {
  if (!isAcknowledgement(line)) return null
  const only_if = line.conditions?.only_if ?? []
  const asked = acknowledgedAsk(
    only_if,
    (beat) => asks.get(beat),
    ({ offset_ms }) => Number(offset_ms),
  )
  return asked?.decision?.beat ?? null
}
