import type { BundleMessage } from '../../../src/blueprints/bundle/compose.js'
import { holdWith } from '../../../src/blueprints/catalogue/decisions/conditions.js'
import { type DecisionPoint, listOf } from '../../../src/blueprints/catalogue/entries.js'

type Metadata = BundleMessage['metadata']

/** Whether something is said when a decision ends in an outcome. */
export const isSaid = (
  { only_if, unless, fallback_for, kind }: Metadata,
  decision: DecisionPoint,
  outcome: string,
): boolean => {
  const needed = listOf(only_if ?? [])
  const acknowledges = kind === 'acknowledgement' ? needed.at(-1)?.beat : undefined
  return holdWith(
    {
      only_if: needed,
      unless: listOf(unless ?? []),
      ...(fallback_for && { fallback_for }),
      ...(acknowledges && { acknowledges }),
    },
    decision,
    outcome,
  )
}

/** The options of a decision with which some of these are said; undefined if that is all of them. */
function optionsFor(
  said: Metadata[],
  decision: DecisionPoint,
): DecisionPoint['options'] | undefined {
  const { options } = decision
  const found = options.filter(({ option }) => said.some((one) => isSaid(one, decision, option)))
  return found.length === options.length ? undefined : found
}

/** Whether something is said with some options of a decision and not with others. */
export const dependsOn = (metadata: Metadata, decision: DecisionPoint): boolean =>
  optionsFor([metadata], decision) !== undefined

/** On which of some decisions these depend, in words. */
export const dependenceText = (said: Metadata[], decisions: DecisionPoint[]): string =>
  decisions
    .map((decision) => optionsFor(said, decision) ?? [])
    .filter((options) => options.length > 0)
    .map((options) => `only with ${options.map(({ label }) => `“${label}”`).join(' or ')}`)
    .join(', and ')
