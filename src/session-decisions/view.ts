import type { Schema } from '../contract.js'
import { minuteMs } from '../process/clock.js'
import { reachedAt } from '../simulation-sessions/clock/clock.js'
import type { StoredDecision } from '../simulation-sessions/decisions/queries.js'
import { isRunning } from '../simulation-sessions/lifecycle.js'
import type { LockedSession } from '../simulation-sessions/queries.js'
import type { Ask, DependentLine } from './queries.js'

type Decision = Schema<'SessionDecision'>
type FollowingMessage = Schema<'FollowingMessage'>
type Condition = Schema<'DecisionCondition'>

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
  const ended = asked.flatMap(({ beat, option }) =>
    option === null ? [] : [[beat, option] as const],
  )
  const beats = new Set(asked.map(({ beat }) => beat))
  const planned = asks.flatMap((ask) => plannedDecision(ask) ?? [])
  return [...asked, ...planned.filter(({ beat }) => !beats.has(beat))].map((decision) => ({
    ...decision,
    options: decision.options.map((option) => ({
      ...option,
      follows: followingOf(decision.beat, new Map(ended).set(decision.beat, option.option), lines),
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

/**
 * The first lines of the plan that depend on a decision, with these options of this and of other decisions.
 * Conditions on decisions that have not ended are ignored. What belongs to another decision that has ended is
 * over: its fallbacks and acknowledgements are left out.
 */
function followingOf(
  beat: string,
  options: ReadonlyMap<string, string>,
  lines: DependentLine[],
): FollowingMessage[] {
  const isAbout = (one: Condition) => one.beat === beat
  const isMet = (one: Condition) => one.options.includes(options.get(one.beat) ?? '')
  const isUnmet = (one: Condition) => options.has(one.beat) && !isMet(one)
  const isOver = (other: string | null) => other !== null && other !== beat && options.has(other)
  const positions = new Set<number | null>()
  const ruledOut = new Set<number | null>()
  // Lines that differ only in another decision have the same text.
  const found = new Map<string, FollowingMessage>()
  for (const line of lines) {
    const { position, parent_position, conditions, lapses, acknowledges, ...message } = line
    const { only_if = [], unless = [] } = conditions ?? {}
    const isWithheld = only_if.some(isUnmet) || unless.some(isMet) || ruledOut.has(parent_position)
    if (isWithheld || lapses === beat || isOver(lapses) || isOver(acknowledges)) {
      ruledOut.add(position)
      continue
    }
    if (![...only_if, ...unless].some(isAbout) && !positions.has(parent_position)) continue
    positions.add(position)
    const key = `${message.sender_id} ${message.content}`
    if (!found.has(key) && found.size < maxFollowing) found.set(key, message)
  }
  return [...found.values()]
}
