import type { Schema } from '../contract.js'
import { minuteMs } from '../process/clock.js'
import { reachedAt } from '../simulation-sessions/clock/clock.js'
import type { StoredDecision } from '../simulation-sessions/decisions/queries.js'
import { isRunning } from '../simulation-sessions/lifecycle.js'
import type { LockedSession } from '../simulation-sessions/queries.js'
import type { Ask, DependentLine } from './queries.js'

type Decision = Schema<'SessionDecision'>
type FollowingMessage = Schema<'FollowingMessage'>

/** How many lines are listed for each option. */
const maxFollowing = 20

/** A decision as participants and observers see it. */
export function forParticipants(session: LockedSession, decision: StoredDecision): Decision {
  const { beat, status, question, options, decided_by, message_id, conversation_id } = decision
  const { asked_at, asked_offset_ms, deadline_offset_ms } = decision
  const { option, made_by, on_behalf, reason, ended_at } = decision
  // While the clock is stopped, the time of a deadline is unknown.
  const isTicking = status === 'open' && isRunning(session)
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
    deadline_minutes: (deadline_offset_ms - asked_offset_ms) / minuteMs,
    deadline_at: isTicking ? reachedAt(session.anchor_at, deadline_offset_ms, session.speed) : null,
    option,
    made_by,
    on_behalf,
    reason,
    ended_at,
  }
}

/**
 * All decisions of a plan, with what follows each option: first those asked for, then the others. Without
 * a plan only those asked for.
 */
export function forLeaders(
  session: LockedSession,
  decisions: StoredDecision[],
  plan: { asks: Ask[]; lines: DependentLine[] } | null,
): Decision[] {
  const asked = decisions.map((one) => {
    return { ...forParticipants(session, one), fallback_option: one.fallback_option }
  })
  if (!plan) return asked
  const { asks, lines } = plan
  const beats = new Set(asked.map(({ beat }) => beat))
  const planned = asks.flatMap((ask) => plannedDecision(ask) ?? [])
  return [...asked, ...planned.filter(({ beat }) => !beats.has(beat))].map((decision) => ({
    ...decision,
    options: decision.options.map((option) => ({
      ...option,
      follows: followingOf(decision.beat, option.option, lines),
    })),
  }))
}

function plannedDecision({ conversation_id, expectation, fallback_option }: Ask): Decision | null {
  const asked = expectation?.decision
  if (!asked) return null
  return {
    ...asked,
    status: 'planned',
    options: asked.options.map((one) => ({ ...one, follows: null })),
    fallback_option,
    message_id: null,
    conversation_id,
    asked_at: null,
    deadline_minutes: expectation?.deadline_minutes ?? 0,
    deadline_at: null,
    option: null,
    made_by: null,
    on_behalf: false,
    reason: null,
    ended_at: null,
  }
}

/** The first lines of the plan that are posted after this option, as far as this decision decides. */
function followingOf(beat: string, option: string, lines: DependentLine[]): FollowingMessage[] {
  const names = (one: Schema<'DecisionCondition'>) => one.beat === beat
  const has = (one: Schema<'DecisionCondition'>) => one.options.includes(option)
  const positions = new Set<number | null>()
  // Lines that differ only in another decision have the same text.
  const found = new Map<string, FollowingMessage>()
  for (const { position, parent_position, conditions, lapses, ...message } of lines) {
    const only_if = conditions?.only_if.filter(names) ?? []
    const unless = conditions?.unless.filter(names) ?? []
    const isAbout = only_if.length + unless.length > 0 || positions.has(parent_position)
    if (lapses === beat || !isAbout || !only_if.every(has) || unless.some(has)) continue
    positions.add(position)
    const key = `${message.sender_id} ${message.content}`
    if (!found.has(key) && found.size < maxFollowing) found.set(key, message)
  }
  return [...found.values()]
}
