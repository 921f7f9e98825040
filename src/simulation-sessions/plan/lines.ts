import { isAcknowledgement } from '../../channel-templates/branches/acknowledged-ask.js'
import type { Rendered } from '../../channel-templates/linting/variables.js'
import type { Message, Post, Reply } from '../../channel-templates/messages.js'
import { type Decision, parseMetadata } from '../../channel-templates/prepared-metadata.js'
import type { Schema } from '../../contract.js'
import type { Conditions } from '../../database/tables/sessions.js'
import { hourMs, minuteMs } from '../../process/clock.js'

type Conversation = Schema<'SessionConversation'>

export interface PlanOptions {
  timing: Schema<'SessionTiming'>
  /** Only lines of this arm are posted. Outside an experiment it is `control`. */
  arm: 'control' | 'intervention'
  /** Replaces the variables of a text for this team. */
  render: (text: string) => Rendered
}

/** The posted fields of a message or reply. */
interface LineFields extends Rendered {
  conversation: Conversation
  sender_id: string
  kind: string | null
  beat: string | null
  fallback_for: string | null
  expectation: Schema<'Expectation'> | null
  artefact: Schema<'Artefact'> | null
  /** Whether it acknowledges a decision, if its `only_if` names one. */
  isAcknowledgement: boolean
  /** The decision that it asks for. */
  decision: Decision | null
  /** The decisions on which it depends; null if there are none. */
  conditions: Conditions | null
}

export interface Line extends LineFields {
  /** The message that a reply belongs to. */
  parent: Line | null
  /** When it is posted on the session's clock; null if never. */
  offset_ms: number | null
  /** For a line that asks for a decision, the deadline on the session's clock. */
  deadline_ms: number | null
  /** The decision that it acknowledges. */
  acknowledges: string | null
  /** The decision that lapses with it. */
  lapses: string | null
}

/** What the compiler decides about a line. */
const undecided = { deadline_ms: null, acknowledges: null, lapses: null }

/**
 * A message and its replies. No reply comes before its message, and replies to a message before the
 * start are before the start too.
 */
export function linesOf(
  message: Message,
  conversation: Conversation,
  options: PlanOptions,
): Line[] {
  if (!isInArm(message, options)) return []
  const offset_ms = offsetOf(message, message.offset_hours * hourMs, options)
  const fields = fieldsOf(message, conversation, options)
  const root: Line = { ...fields, ...undecided, parent: null, offset_ms }
  const replies = message.thread_replies.filter((reply) => isInArm(reply, options))
  return [
    root,
    ...replies.map((reply) => ({
      ...fieldsOf(reply, conversation, options),
      ...undecided,
      parent: root,
      offset_ms: offset_ms === null ? null : replyOffsetOf(offset_ms, reply, options),
    })),
  ]
}

/** Drops all other metadata, so that a plan holds only what is posted. */
function fieldsOf(
  { sender_character_id: sender_id, content, metadata }: Post,
  conversation: Conversation,
  { render }: PlanOptions,
): LineFields {
  const parsed = parseMetadata(metadata)
  const { kind, beat, fallback_for, expectation, artefact, decision, only_if, unless } = parsed
  return {
    ...render(content),
    conversation,
    sender_id,
    kind,
    beat,
    fallback_for,
    expectation,
    artefact,
    isAcknowledgement: isAcknowledgement(parsed),
    decision,
    conditions: only_if || unless ? { only_if: only_if ?? [], unless: unless ?? [] } : null,
  }
}

function isInArm({ metadata }: Post, options: PlanOptions): boolean {
  const { arm } = parseMetadata(metadata)
  return arm === null || arm === options.arm
}

/** When the message is posted in a drill, from its start; null without a `drill_minute`. */
function drillMs({ metadata }: Pick<Post, 'metadata'>): number | null {
  const { drill_minute } = parseMetadata(metadata)
  return drill_minute === null ? null : Math.round(drill_minute * minuteMs)
}

function offsetOf(message: Post, byCalendar: number, { timing }: PlanOptions): number | null {
  if (timing === 'calendar') return byCalendar
  return drillMs(message) ?? (byCalendar < 0 ? byCalendar : null)
}

function replyOffsetOf(root: number, reply: Reply, { timing }: PlanOptions): number {
  const after = root + reply.offset_minutes * minuteMs
  const wanted = timing === 'drill' ? (drillMs(reply) ?? after) : after
  return root < 0 ? Math.min(Math.max(wanted, root), -1) : Math.max(wanted, root)
}

/**
 * Sets the deadline of an expectation. `deadline_minutes` holds for a drill. By the calendar,
 * participants have until the fallback. A decision has its own deadline.
 */
export function withDeadline(
  expectation: Schema<'Expectation'>,
  { offset_ms, decision, deadline_ms }: Line,
  fallback: Line | undefined,
  { timing }: Pick<PlanOptions, 'timing'>,
): Schema<'Expectation'> {
  const minutesUntil = (end: number | null) => (Number(end) - Number(offset_ms)) / minuteMs
  if (decision) {
    const { fallback_option, ...asked } = decision
    const options = asked.options.map(({ label }) => label)
    const deadline_minutes = minutesUntil(deadline_ms)
    return { act: 'decide', deadline_minutes, options, decision: asked }
  }
  if (timing === 'drill' || !fallback) return expectation
  const minutes = minutesUntil(fallback.offset_ms)
  return minutes > 0 ? { ...expectation, deadline_minutes: minutes } : expectation
}
