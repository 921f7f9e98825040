import { cutWarning, mostWarnings, startOf } from '../channel-templates/variables.js'
import type { Schema } from '../contract.js'
import type { SessionPlanTable } from '../database/session-tables.js'
import { deadlineOf, type Line, type Play } from './plan-lines.js'

/** A prepared message or reply on its place in the plan. */
export type PlanEntry = Omit<SessionPlanTable, 'organization_id' | 'session_id' | 'expectation'> & {
  expectation: Schema<'Expectation'> | null
}

export interface Plan {
  entries: PlanEntry[]
  /** What cannot be planned as it stands. */
  warnings: Schema<'Warning'>[]
}

/**
 * What a session posts, in the order of posting. A line without a place on the clock is left out. A
 * fallback is said unless a participant has answered the line of its beat that waits for one.
 */
export function compilePlan(planned: Line[], play: Pick<Play, 'timing'>): Plan {
  const lines = planned
    .filter((line) => line.offset_ms !== null)
    // Those of one time stay in their order, a message before its replies: sorting is stable.
    .sort((a, b) => Number(a.offset_ms) - Number(b.offset_ms))
  const positions = new Map(lines.map((line, position) => [line, position]))
  const awaited = awaitedBy(lines)
  const fallbacks = fallbacksBy(awaited)
  const entries = lines.map((line, position): PlanEntry => {
    const { parent, conversation, sender_id, content, kind, beat, expectation } = line
    return {
      position,
      offset_ms: Number(line.offset_ms),
      parent_position: parent && (positions.get(parent) ?? null),
      unless_answered: awaited.get(line) ?? null,
      conversation_id: conversation.conversation_id,
      channel_id: conversation.channel_id,
      sender_id,
      content,
      kind,
      beat,
      expectation: expectation && deadlineOf(expectation, line, fallbacks.get(position), play),
    }
  })
  const warnings = [...unplaced(planned), ...unanswerable(lines, awaited), ...tooLong(lines)]
  return { entries, warnings: warnings.slice(0, mostWarnings) }
}

/** Of each fallback the place of the line it stands in for: the last before it that waits. */
function awaitedBy(lines: Line[]): Map<Line, number> {
  const waiting = new Map<string | null, number>()
  const awaited = new Map<Line, number>()
  for (const [position, line] of lines.entries()) {
    const { beat, fallback_for } = line
    const found = fallback_for === null ? undefined : waiting.get(fallback_for)
    if (found !== undefined) awaited.set(line, found)
    if (line.parent === null && line.expectation) waiting.set(beat, position)
  }
  return awaited
}

/** The first fallback of each line that waits, by the place of that line. */
function fallbacksBy(awaited: ReadonlyMap<Line, number>): Map<number, Line> {
  const fallbacks = new Map<number, Line>()
  for (const [line, position] of awaited) {
    if (!fallbacks.has(position)) fallbacks.set(position, line)
  }
  return fallbacks
}

const unplaced = (lines: Line[]) =>
  warningsOf(
    lines.filter(({ offset_ms }) => offset_ms === null),
    'It has no drill_minute and does not lie before the start: it is never posted',
  )

const unanswerable = (lines: Line[], awaited: ReadonlyMap<Line, number>) =>
  warningsOf(
    lines.filter((line) => line.fallback_for !== null && !awaited.has(line)),
    'No line before it of the beat in its fallback_for waits for participants: it is always posted',
  )

const tooLong = (lines: Line[]) =>
  lines
    .filter(({ isCut }) => isCut)
    .map(({ content, conversation }) => cutWarning(conversation.channel_name, content))

function warningsOf(lines: Line[], message: string): Plan['warnings'] {
  return lines.map(({ content, conversation }) => {
    return { field: conversation.channel_name, value: startOf(content), message }
  })
}
