import type { Condition, Decision } from '../../channel-templates/prepared-metadata.js'
import type { Conditions } from '../../database/tables/sessions.js'
import { holds } from './conditions.js'
import type { Line } from './lines.js'

/** Whether a decision may lapse with a fallback, by the fallback's conditions on this decision. */
export function mayLapse({ conditions }: Line, { beat, fallback_option }: Decision): boolean {
  const lapsed = new Map([[beat, { option: fallback_option }]])
  const own = partOf(conditions, (one) => one.beat === beat)
  return holds(own, lapsed)
}

/** The conditions of a fallback without those on its own decision. */
export const withoutOwn = (conditions: Conditions | null, { beat }: Decision) =>
  partOf(conditions, (one) => one.beat !== beat)

function partOf(
  conditions: Conditions | null,
  isKept: (one: Condition) => boolean,
): Conditions | null {
  if (!conditions) return null
  const only_if = conditions.only_if.filter(isKept)
  const unless = conditions.unless.filter(isKept)
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
    artefact: null,
    decision: null,
    // Not after another fallback has spoken.
    conditions: { only_if: [], unless: [{ beat, options: [fallback_option] }] },
    offset_ms: ask.deadline_ms,
  }
}
