import { minuteMs } from '../../process/clock.js'
import { markAcknowledgements } from './acknowledgements.js'
import { isSure, lastFallback, mayLapse, withoutOwn } from './fallbacks.js'
import type { Line } from './lines.js'

/** A later ask is an ordinary line, so that an answer with all decisions stays small. */
const maxDecisions = 20

/**
 * Gives each decision its deadline, and marks the lines that acknowledge it or let it lapse: this changes
 * the given lines, also their times. Returns all lines in the order of posting, and those that ask for a
 * decision again or for one too many.
 */
export function planDecisions(sorted: Line[]): { lines: Line[]; surplus: Line[] } {
  const { asks, surplus } = findAsks(sorted)
  const added = [...asks.values()].flatMap((ask) => setDeadline(ask, sorted))
  markAcknowledgements(sorted, asks)
  for (const line of sorted) moveWithRoot(line)
  return { lines: inOrder([...sorted, ...added]), surplus }
}

/** Sorts by time. At a deadline the decision lapses first, with the thread of its fallback. */
function inOrder(lines: Line[]): Line[] {
  const lapsing = lines.filter(({ lapses }) => lapses !== null)
  const roots = lapsing.map((line) => {
    return line.parent && line.parent.offset_ms === line.offset_ms ? line.parent : line
  })
  const first = new Set([...lapsing, ...roots])
  const rankOf = (line: Line) => (first.has(line) || first.has(line.parent ?? line) ? 1 : 2)
  return lines.sort((a, b) => Number(a.offset_ms) - Number(b.offset_ms) || rankOf(a) - rankOf(b))
}

/** The first ask of each decision, by its beat. A decision is not asked for before the start. */
function findAsks(sorted: Line[]) {
  const asks = new Map<string, Line>()
  const surplus: Line[] = []
  for (const line of sorted) {
    const { decision, parent, offset_ms } = line
    if (!decision) continue
    const isAsk = parent === null && Number(offset_ms) >= 0
    const isNew = !asks.has(decision.beat) && asks.size < maxDecisions
    if (isAsk && isNew) asks.set(decision.beat, line)
    else {
      line.decision = null
      surplus.push(line)
    }
  }
  return { asks, surplus }
}

/**
 * The deadline of a decision is the time of its first fallback after it, or `deadline_minutes` after
 * the ask. The decision lapses with the first fallback that is posted. Returns a last fallback for
 * when none is: the character who asks says the fallback option.
 */
function setDeadline(ask: Line, sorted: Line[]): Line[] {
  const { decision, expectation } = ask
  if (!decision || !expectation) return []
  const asked = Number(ask.offset_ms)
  const fallbacks = sorted.filter((line) => {
    const isAfter = line.fallback_for === decision.beat && Number(line.offset_ms) >= asked
    return isAfter && mayLapse(line, decision)
  })
  for (const line of fallbacks) {
    line.lapses = decision.beat
    line.conditions = withoutOwn(line.conditions, decision)
  }
  const byMinutes = asked + Math.round(expectation.deadline_minutes * minuteMs)
  // By the calendar, a fallback may have the hour of the ask.
  const first = fallbacks.find(({ offset_ms }) => Number(offset_ms) > asked)
  const deadline_ms = first?.offset_ms ?? byMinutes
  ask.deadline_ms = deadline_ms
  const inTime = fallbacks.filter(({ parent }) => Number(parent?.offset_ms ?? 0) <= deadline_ms)
  const sure = inTime.findIndex((line) => isSure(line, ask))
  const speaking = sure === -1 ? inTime : inTime.slice(0, sure + 1)
  for (const line of speaking) line.offset_ms = deadline_ms
  return sure === -1 ? [lastFallback(ask, decision)] : []
}

/** Moves a reply that comes before its message. */
function moveWithRoot(line: Line): void {
  const { parent } = line
  if (parent && Number(line.offset_ms) < Number(parent.offset_ms)) line.offset_ms = parent.offset_ms
}
