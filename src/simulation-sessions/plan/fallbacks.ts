import type { Condition, Decision } from '../../channel-templates/prepared-metadata.js'
import type { Conditions } from '../../database/tables/sessions.js'
import { holds } from '../decisions/conditions.js'
import type { Line } from './lines.js'

/** Whether a line is a fallback of a decision, and its conditions on this decision allow that. */
export function isFallback(
  { fallback_for, conditions }: Line,
  { beat, fallback_option }: Decision,
): boolean {
  const lapsed = new Map([[beat, { option: fallback_option }]])
  return (
    fallback_for === beat &&
    holds(
      partOf(conditions, (one) => one.beat === beat),
      lapsed,
    )
  )
}

/** The conditions of a fallback on other decisions than its own. */
export const othersOf = (conditions: Conditions | null, { beat }: Decision) =>
  partOf(conditions, (one) => one.beat !== beat)

function partOf(
  conditions: Conditions | null,
  isIn: (one: Condition) => boolean,
): Conditions | null {
  if (!conditions) return null
  const only_if = conditions.only_if.filter(isIn)
  const unless = conditions.unless.filter(isIn)
  return only_if.length + unless.length > 0 ? { only_if, unless } : null
}

/** Whether a fallback is posted each time its decision lapses. */
export function isSure({ conditions, parent }: Line, ask: Line): boolean {
  if (conditions) return false
  if (parent === null || parent === ask) return true
  return parent.conditions === null && parent.fallback_for === null
}

/** The reply that says the fallback option if no prepared message does. */
export function lastFallback(ask: Line, { options, fallback_option, beat }: Decision): Line {
  return {
    ...ask,
    parent: ask,
    kind: 'fallback',
    content: options.find(({ option }) => option === fallback_option)?.label ?? '',
    fallback_for: beat,
    lapses: beat,
    expectation: null,
    decision: null,
    // Not after another fallback has spoken.
    conditions: { only_if: [], unless: [{ beat, options: [fallback_option] }] },
    offset_ms: ask.deadline_ms,
  }
}
