import type { Message, Post, Reply } from '../channel-templates/messages.js'
import type { Schema } from '../contract.js'

/** A channel of the scenario, with what is to be said there. */
export interface PlannedChannel extends Schema<'SessionConversation'> {
  messages: Message[]
}

export interface Play {
  timing: Schema<'SessionTiming'>
  /** Whose lines are said; outside an experiment those of the control arm. */
  arm: 'control' | 'intervention'
}

/** A message or a reply that belongs to the arm. */
export interface Line {
  post: Post
  /** Of a reply. */
  parent: Post | null
  /** Null where it has no place on the session's clock. */
  offset_ms: number | null
  channel: PlannedChannel
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A message with its replies, of which none comes before it. A reply to history is history. */
export function linesOf(message: Message, channel: PlannedChannel, play: Play): Line[] {
  if (!isSaid(message, play)) return []
  const offset_ms = placeOf(message, message.offset_hours * hourMs, play)
  const replies = message.thread_replies.filter((reply) => isSaid(reply, play))
  return [
    { post: message, parent: null, offset_ms, channel },
    ...replies.map((reply) => ({
      post: reply,
      parent: message,
      offset_ms: offset_ms === null ? null : placeAfter(offset_ms, reply, play),
      channel,
    })),
  ]
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

function drillMs({ drill_minute }: Post['metadata']): number | null {
  return typeof drill_minute === 'number' ? Math.round(drill_minute * minuteMs) : null
}

/** What participants are waited for; null where nobody is, or nobody could say until when. */
export function expectationOf({ metadata }: Post): Schema<'Expectation'> | null {
  const { expectation } = metadata
  if (typeof expectation !== 'object' || expectation === null) return null
  const { act = 'answer', deadline_minutes, options } = expectation as Record<string, unknown>
  if (typeof deadline_minutes !== 'number' || !(deadline_minutes > 0)) return null
  const isList = Array.isArray(options) && options.every((one) => typeof one === 'string')
  return { act: String(act), deadline_minutes, options: isList ? options : [] }
}

/**
 * The deadline of an expectation. Minutes are those of a drill: by the calendar participants have
 * until the fallback.
 */
export function deadlineOf(
  expectation: Schema<'Expectation'>,
  { offset_ms }: Line,
  fallback: Line | undefined,
  { timing }: Play,
): Schema<'Expectation'> {
  if (timing === 'drill' || !fallback) return expectation
  const minutes = (Number(fallback.offset_ms) - Number(offset_ms)) / minuteMs
  return minutes > 0 ? { ...expectation, deadline_minutes: minutes } : expectation
}

export const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
