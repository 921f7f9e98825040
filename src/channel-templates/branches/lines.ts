import type { Message, Post } from '../messages.js'
import { type Condition, type Decision, parseMetadata } from '../prepared-metadata.js'
import { isAcknowledgement } from './acknowledged-ask.js'

export const armsOfSessions = ['control', 'intervention'] as const
export type SessionArm = (typeof armsOfSessions)[number]

/** What a message or a reply has to do with decisions. */
export interface BranchLine {
  /** Where its metadata is in a request. */
  loc: string[]
  metadata: Record<string, unknown>
  /** The message that a reply belongs to. */
  root: BranchLine | null
  arms: SessionArm[]
  /** When it is posted in a drill, in minutes; null if it has no minute there. */
  drill: number | null
  /** When it is posted by the calendar, in minutes. */
  offset: number
  beat: string | null
  only_if: Condition[]
  unless: Condition[]
  fallback_for: string | null
  isAcknowledgement: boolean
  /** How long participants have to answer, in minutes; null if they are not asked. */
  deadline_minutes: number | null
  decision: Decision | null
}

/** A message and its replies, in their order. */
export function linesOf(
  { thread_replies, offset_hours, metadata }: Message,
  loc: string[] = [],
): [BranchLine, ...BranchLine[]] {
  const message = lineOf({ metadata }, loc, null, offset_hours * 60)
  const replies = thread_replies.map((reply, i) =>
    lineOf(reply, [...loc, 'thread_replies', String(i)], message, reply.offset_minutes),
  )
  return [message, ...replies]
}

/** The lines of messages at a place of a request. */
export const linesAt = (messages: Message[], loc: string[] = []): BranchLine[] =>
  messages.flatMap((message, i) => linesOf(message, [...loc, String(i)]))

/** `minutes` count from the start of the session, or for a reply from its message. */
function lineOf(
  { metadata }: Pick<Post, 'metadata'>,
  loc: string[],
  root: BranchLine | null,
  minutes: number,
): BranchLine {
  const read = parseMetadata(metadata)
  const { arm, drill_minute, only_if, unless, fallback_for, expectation } = read
  const arms = root?.arms ?? armsOfSessions
  const afterRoot = root && root.drill !== null ? root.drill + minutes : null
  return {
    loc: [...loc, 'metadata'],
    metadata,
    root,
    arms: arms.filter((one) => arm === null || arm === one),
    drill: drill_minute ?? afterRoot,
    offset: (root?.offset ?? 0) + minutes,
    beat: read.beat,
    only_if: only_if ?? [],
    unless: unless ?? [],
    fallback_for,
    isAcknowledgement: root === null && isAcknowledgement(read),
    deadline_minutes: root === null && expectation ? expectation.deadline_minutes : null,
    decision: root === null ? read.decision : null,
  }
}

/** Whether a line asks, or depends on what was asked. All other lines are said on each path. */
export const isBranching = (line: BranchLine): boolean =>
  line.isAcknowledgement ||
  line.deadline_minutes !== null ||
  line.fallback_for !== null ||
  line.only_if.length + line.unless.length > 0

/** Whether a line comes before another one, in a drill or, without a minute there, by the calendar. */
export function isBefore(one: BranchLine, other: BranchLine): boolean {
  const areInDrill = one.drill !== null && other.drill !== null
  return areInDrill ? Number(one.drill) < Number(other.drill) : one.offset < other.offset
}
