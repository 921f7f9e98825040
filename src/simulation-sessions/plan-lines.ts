import type { Message, Post, Reply } from '../channel-templates/messages.js'
import type { Rendered } from '../channel-templates/variables.js'
import type { Schema } from '../contract.js'
import { drillMs, expectationOf, textOf } from './plan-metadata.js'

type Conversation = Schema<'SessionConversation'>

export interface Play {
  timing: Schema<'SessionTiming'>
  /** Whose lines are said; outside an experiment those of the control arm. */
  arm: 'control' | 'intervention'
  /** Writes a text as this team reads it. */
  render: (text: string) => Rendered
}

/** What is posted of a message or a reply that belongs to the arm. */
interface Said extends Rendered {
  conversation: Conversation
  sender_id: string
  kind: string | null
  beat: string | null
  fallback_for: string | null
  expectation: Schema<'Expectation'> | null
}

export interface Line extends Said {
  /** Of a reply. */
  parent: Line | null
  /** Null where it has no place on the session's clock. */
  offset_ms: number | null
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A message with its replies, of which none comes before it. A reply to history is history. */
export function linesOf(message: Message, conversation: Conversation, play: Play): Line[] {
  if (!isSaid(message, play)) return []
  const offset_ms = placeOf(message, message.offset_hours * hourMs, play)
  const root: Line = { ...saidOf(message, conversation, play), parent: null, offset_ms }
  const replies = message.thread_replies.filter((reply) => isSaid(reply, play))
  return [
    root,
    ...replies.map((reply) => ({
      ...saidOf(reply, conversation, play),
      parent: root,
      offset_ms: offset_ms === null ? null : placeAfter(offset_ms, reply, play),
    })),
  ]
}

/** Without the rest of the metadata, so that a plan holds no more than is posted. */
function saidOf(
  { sender_character_id: sender_id, content, metadata }: Post,
  conversation: Conversation,
  { render }: Play,
): Said {
  const { kind, beat, fallback_for } = metadata
  return {
    ...render(content),
    conversation,
    sender_id,
    kind: textOf(kind),
    beat: textOf(beat),
    fallback_for: textOf(fallback_for),
    expectation: expectationOf(metadata),
  }
}

function isSaid({ metadata: { arm } }: Post, play: Play): boolean {
  return (arm !== 'control' && arm !== 'intervention') || arm === play.arm
}

function placeOf({ metadata }: Post, byCalendar: number, { timing }: Play): number | null {
  if (timing === 'calendar') return byCalendar
  return drillMs(metadata) ?? (byCalendar < 0 ? byCalendar : null)
}

function placeAfter(root: number, { metadata, offset_minutes }: Reply, { timing }: Play): number {
  const after = root + offset_minutes * minuteMs
  const wanted = timing === 'drill' ? (drillMs(metadata) ?? after) : after
  return root < 0 ? Math.min(Math.max(wanted, root), -1) : Math.max(wanted, root)
}

/**
 * The deadline of an expectation. Minutes are those of a drill: by the calendar participants have
 * until the fallback.
 */
export function deadlineOf(
  expectation: Schema<'Expectation'>,
  { offset_ms }: Line,
  fallback: Line | undefined,
  { timing }: Pick<Play, 'timing'>,
): Schema<'Expectation'> {
  if (timing === 'drill' || !fallback) return expectation
  const minutes = (Number(fallback.offset_ms) - Number(offset_ms)) / minuteMs
  return minutes > 0 ? { ...expectation, deadline_minutes: minutes } : expectation
}
