import type { Schema } from '../contract.js'
import type { SessionPlanTable } from '../database/session-tables.js'
import {
  deadlineOf,
  expectationOf,
  type Line,
  linesOf,
  type PlannedChannel,
  type Play,
  textOf,
} from './plan-lines.js'

/** A prepared message or reply on its place in the plan. */
export type PlanEntry = Omit<SessionPlanTable, 'organization_id' | 'session_id' | 'expectation'> & {
  expectation: Schema<'Expectation'> | null
}

interface Plan {
  entries: PlanEntry[]
  /** What cannot be planned as it stands. */
  warnings: Schema<'Warning'>[]
}

/**
 * What a session posts, in the order of posting. A line without a place on the clock is left out. A
 * fallback is said unless a participant has answered the line of its beat that waits for one.
 */
export function compilePlan(channels: PlannedChannel[], play: Play): Plan {
  const planned = channels.flatMap((channel) =>
    channel.messages.flatMap((message) => linesOf(message, channel, play)),
  )
  const lines = planned
    .filter((line) => line.offset_ms !== null)
    // Those of one time stay in their order, a message before its replies: sorting is stable.
    .sort((a, b) => Number(a.offset_ms) - Number(b.offset_ms))
  const positions = new Map(lines.map(({ post }, position) => [post, position]))
  const awaited = awaitedBy(lines)

  const fallbackOf = (position: number) => lines.find((line) => awaited.get(line) === position)
  const entries = lines.map((line, position): PlanEntry => {
    const { post, parent, channel } = line
    const { kind, beat } = post.metadata
    const expectation = expectationOf(post)
    return {
      position,
      offset_ms: Number(line.offset_ms),
      parent_position: parent && (positions.get(parent) ?? null),
      unless_answered: awaited.get(line) ?? null,
      conversation_id: channel.conversation_id,
      channel_id: channel.channel_id,
      sender_id: post.sender_character_id,
      content: post.content,
      kind: textOf(kind),
      beat: textOf(beat),
      expectation: expectation && deadlineOf(expectation, line, fallbackOf(position), play),
    }
  })
  return { entries, warnings: [...unplaced(planned), ...unanswerable(lines, awaited)] }
}

/** Of each fallback the place of the line it stands in for: the last before it that waits. */
function awaitedBy(lines: Line[]): Map<Line, number> {
  const waiting = new Map<unknown, number>()
  const awaited = new Map<Line, number>()
  for (const [position, line] of lines.entries()) {
    const { beat, fallback_for } = line.post.metadata
    const found = textOf(fallback_for) === null ? undefined : waiting.get(fallback_for)
    if (found !== undefined) awaited.set(line, found)
    if (line.parent === null && expectationOf(line.post)) waiting.set(beat, position)
  }
  return awaited
}

function unplaced(lines: Line[]): Plan['warnings'] {
  const message = 'It has no drill_minute and does not lie before the start: it is never posted'
  return lines
    .filter(({ offset_ms }) => offset_ms === null)
    .map(({ post, channel }) => ({ field: channel.channel_name, value: startOf(post), message }))
}

function unanswerable(lines: Line[], awaited: ReadonlyMap<Line, number>): Plan['warnings'] {
  const message =
    'No line before it of the beat in its fallback_for waits for participants: it is always posted'
  return lines
    .filter((line) => textOf(line.post.metadata.fallback_for) !== null && !awaited.has(line))
    .map(({ post, channel }) => ({ field: channel.channel_name, value: startOf(post), message }))
}

const startOf = ({ content }: Line['post']) => Array.from(content).slice(0, 80).join('')
