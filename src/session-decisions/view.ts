import type { Schema } from '../contract.js'
import { minuteMs } from '../process/clock.js'
import { leftUntil, reachedAt } from '../simulation-sessions/clock/clock.js'
import type { StoredDecision } from '../simulation-sessions/decisions/queries.js'
import { isRunning } from '../simulation-sessions/lifecycle.js'
import type { LockedSession } from '../simulation-sessions/queries.js'
import { followingOf } from './following.js'
import type { DecisionLine } from './queries.js'

type Decision = Schema<'SessionDecision'>

/** A decision as participants and observers see it. */
export function forParticipants(session: LockedSession, decision: StoredDecision): Decision {
  const { beat, status, question, options, decided_by, message_id, conversation_id } = decision
  const { asked_at, asked_offset_ms, deadline_offset_ms } = decision
  const { option, made_by, on_behalf, reason, ended_at } = decision
  // While the clock is stopped, the time of a deadline is unknown.
  const isTicking = status === 'open' && isRunning(session)
  const isWaiting = status === 'open' && !isRunning(session)
  return {
    beat,
    status,
    question,
    options: options.map((one) => ({ ...one, follows: null })),
    decided_by,
    fallback_option: null,
    message_id,
    conversation_id,
    asked_at,
    asked_offset_ms,
    deadline_minutes: (deadline_offset_ms - asked_offset_ms) / minuteMs,
    deadline_at: isTicking ? reachedAt(session.anchor_at, deadline_offset_ms, session.speed) : null,
    left_ms: isWaiting ? leftUntil(session, deadline_offset_ms) : null,
    option,
    made_by,
    on_behalf,
    reason,
    ended_at,
  }
}

/**
 * All decisions of a plan, with what follows each option: first those asked for, then the others.
 * Once the session has ended it has no plan: then only those asked for.
 */
export function forLeaders(
  session: LockedSession,
  decisions: StoredDecision[],
  lines: DecisionLine[],
): Decision[] {
  const asked = decisions.map((one) => {
    return { ...forParticipants(session, one), fallback_option: one.fallback_option }
  })
  if (lines.length === 0) return asked
  const beats = new Set(asked.map(({ beat }) => beat))
  const planned = lines
    .flatMap((line) => plannedDecision(line) ?? [])
    .filter(({ beat }) => !beats.has(beat))
  const sorted = lines.toSorted((a, b) => a.position - b.position)
  return [...asked, ...planned].map((decision) => ({
    ...decision,
    options: decision.options.map((option) => ({
      ...option,
      follows: followingOf(decision, option, asked, sorted),
    })),
  }))
}

function plannedDecision(line: DecisionLine): Decision | null {
  const { conversation_id, expectation, fallback_option } = line
  const asked = expectation?.decision
  if (!asked || fallback_option === null) return null
  return {
    ...asked,
    status: 'planned',
    options: asked.options.map((one) => ({ ...one, follows: null })),
    fallback_option,
    message_id: null,
    conversation_id,
    asked_at: null,
    asked_offset_ms: line.offset_ms,
    deadline_minutes: expectation?.deadline_minutes ?? 0,
    deadline_at: null,
    left_ms: null,
    option: null,
    made_by: null,
    on_behalf: false,
    reason: null,
    ended_at: null,
  }
}
