import type { Selectable } from 'kysely'
import { cutWarning, maxWarnings, startOf } from '../../channel-templates/linting/variables.js'
import type { Schema } from '../../contract.js'
import type { SessionPlanTable } from '../../database/tables/sessions.js'
import { maxAcknowledgements, surplusAcknowledgements } from './acknowledgements.js'
import { planDecisions } from './decisions.js'
import { type Line, type PlanOptions, withDeadline } from './lines.js'

type Column = Exclude<keyof SessionPlanTable, 'organization_id' | 'session_id'>

/** A prepared message or reply, as a row of the plan. */
export type PlanEntry = { [Name in Column]: Selectable<SessionPlanTable>[Name] }

export interface SessionPlan {
  entries: PlanEntry[]
  warnings: Schema<'Warning'>[]
}

/**
 * Sorts lines into the order of posting. A line without an offset is left out. A fallback refers to the
 * line whose expectation it serves: it is posted unless a participant answers that line. If the line
 * asks for a decision, the fallback is posted unless people decide.
 */
export function compilePlan(planned: Line[], options: Pick<PlanOptions, 'timing'>): SessionPlan {
  const sorted = planned
    .filter((line) => line.offset_ms !== null)
    // The sort is stable: lines with the same offset keep their order, a message before its replies.
    .sort((a, b) => Number(a.offset_ms) - Number(b.offset_ms))
  const { lines, surplus } = planDecisions(sorted)
  const positions = new Map(lines.map((line, position) => [line, position]))
  const expected = expectedLines(lines)
  const fallbacks = fallbacksBy(expected)
  const entries = lines.map((line, position): PlanEntry => {
    const { parent, conversation, sender_id, content, kind, beat, expectation } = line
    const { artefact, conditions, decision, acknowledges, lapses } = line
    return {
      position,
      offset_ms: Number(line.offset_ms),
      parent_position: parent && (positions.get(parent) ?? null),
      unless_answered: expected.get(line) ?? null,
      conversation_id: conversation.conversation_id,
      channel_id: conversation.channel_id,
      sender_id,
      content,
      kind,
      beat,
      expectation: expectation && withDeadline(expectation, line, fallbacks.get(position), options),
      artefact,
      conditions,
      fallback_option: decision?.fallback_option ?? null,
      acknowledges,
      lapses,
    }
  })
  const warnings = [
    ...unplaced(planned),
    ...unanswerable(lines, expected),
    ...undecidable(lines),
    ...warningsOf(surplus, notAsked),
    ...warningsOf(surplusAcknowledgements(lines), notAcknowledged),
    ...tooLong(lines),
  ]
  return { entries, warnings: warnings.slice(0, maxWarnings) }
}

/** Maps each fallback to the position of its line: the last one of its beat with an expectation. */
function expectedLines(lines: Line[]): Map<Line, number> {
  const waiting = new Map<string | null, number>()
  const expected = new Map<Line, number>()
  for (const [position, line] of lines.entries()) {
    const { beat, fallback_for } = line
    const isOfDecision = fallback_for === null || line.lapses !== null
    const found = isOfDecision ? undefined : waiting.get(fallback_for)
    if (found !== undefined) expected.set(line, found)
    if (line.parent === null && line.expectation) waiting.set(beat, position)
  }
  return expected
}

/** The first fallback of each line with an expectation, by the position of that line. */
function fallbacksBy(expected: ReadonlyMap<Line, number>): Map<number, Line> {
  const fallbacks = new Map<number, Line>()
  for (const [line, position] of expected) {
    if (!fallbacks.has(position)) fallbacks.set(position, line)
  }
  return fallbacks
}

const unplaced = (lines: Line[]) =>
  warningsOf(
    lines.filter(({ offset_ms }) => offset_ms === null),
    'It has no drill_minute and does not lie before the start: it is never posted',
  )

const unanswerable = (lines: Line[], expected: ReadonlyMap<Line, number>) =>
  warningsOf(
    lines.filter((line) => line.fallback_for !== null && !line.lapses && !expected.has(line)),
    'No line before it of the beat in its fallback_for waits for participants: it is always posted',
  )

const notAsked =
  'It asks for no decision: its beat is asked before, the session has 20 others, or it is a reply or history'

const notAcknowledged = `It is never posted: ${maxAcknowledgements} lines before it acknowledge the same decision`

/** Lines that depend on a decision that no line asks for. */
function undecidable(lines: Line[]): SessionPlan['warnings'] {
  const asked = new Set(lines.map(({ decision }) => decision?.beat))
  return warningsOf(
    lines.filter((line) => line.conditions?.only_if.some(({ beat }) => !asked.has(beat))),
    'It depends on a decision that no message asks for: it is never posted',
  )
}

const tooLong = (lines: Line[]) =>
  lines
    .filter(({ isCut }) => isCut)
    .map(({ content, conversation }) => cutWarning(conversation.channel_name, content))

function warningsOf(lines: Line[], message: string): SessionPlan['warnings'] {
  return lines.map(({ content, conversation }) => {
    return { field: conversation.channel_name, value: startOf(content), message }
  })
}
