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
  const waiting = new Map(
    lines
      .filter(({ post, parent }) => parent === null && expectationOf(post) !== null)
      .map((line) => [line.post.metadata.beat, line]),
  )

  const entries = lines.map((line, position): PlanEntry => {
    const { post, parent, channel } = line
    const { kind, beat, fallback_for } = post.metadata
    const awaited = fallback_for === undefined ? undefined : waiting.get(fallback_for)
    const expectation = expectationOf(post)
    return {
      position,
      offset_ms: Number(line.offset_ms),
      parent_position: parent && (positions.get(parent) ?? null),
      unless_answered: awaited ? (positions.get(awaited.post) ?? null) : null,
      conversation_id: channel.conversation_id,
      channel_id: channel.channel_id,
      sender_id: post.sender_character_id,
      content: post.content,
      kind: textOf(kind),
      beat: textOf(beat),
      expectation: expectation && deadlineOf(expectation, line, lines, play),
    }
  })
  return { entries, warnings: [...unplaced(planned), ...unanswerable(lines, waiting)] }
}

function unplaced(lines: Line[]): Plan['warnings'] {
  const message = 'It has no drill_minute and does not lie before the start: it is never posted'
  return lines
    .filter(({ offset_ms }) => offset_ms === null)
    .map(({ post, channel }) => ({ field: channel.channel_name, value: startOf(post), message }))
}

function unanswerable(lines: Line[], waiting: ReadonlyMap<unknown, Line>): Plan['warnings'] {
  const message =
    'No line of the beat in its fallback_for waits for participants: it is always posted'
  return lines
    .filter(({ post: { metadata } }) => metadata.fallback_for !== undefined)
    .filter(({ post: { metadata } }) => !waiting.has(metadata.fallback_for))
    .map(({ post, channel }) => ({ field: channel.channel_name, value: startOf(post), message }))
}

const startOf = ({ content }: Line['post']) => Array.from(content).slice(0, 80).join('')
