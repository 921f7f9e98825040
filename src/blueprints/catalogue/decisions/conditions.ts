import { type Condition, type DecisionPoint, type Line, listOf } from '../entries.js'

/** The outcome of a decision that no one made by its deadline. It ends in its fallback option. */
export const lapsed = 'lapsed'

/** The outcome of a decision whose question is not asked on a path. */
export const notAsked = ''

/** The outcome of each decision, by its beat: an option, `lapsed` or not asked. */
export type Path = ReadonlyMap<string, string>

/** The decisions on which a line depends, and how they have to end. */
export interface Conditions {
  only_if: Condition[]
  unless: Condition[]
  /** The decision that has to lapse. */
  fallback_for?: string
  /** The decision that participants have to make. */
  acknowledges?: string
}

type Conditional = Partial<Pick<Line, 'kind' | 'only_if' | 'unless' | 'fallback_for'>>

/** The conditions that a line or a reply states itself. */
export function conditionsOf({ kind, only_if, unless, fallback_for }: Conditional): Conditions {
  const said = listOf(only_if ?? [])
  const acknowledges = kind === 'acknowledgement' ? said.at(-1)?.beat : undefined
  return {
    only_if: said,
    unless: listOf(unless ?? []),
    ...(fallback_for && { fallback_for }),
    ...(acknowledges && { acknowledges }),
  }
}

/** Joins the conditions of a line and its causes, with one condition for each decision. */
export function joinConditions(given: Conditions[]): Conditions {
  const all = given.filter((one) => !isEmpty(one))
  if (all.length < 2) return all[0] ?? { only_if: [], unless: [] }
  const only_if = new Map<string, string[]>()
  const unless = new Map<string, string[]>()
  for (const conditions of all) {
    for (const { beat, options } of conditions.only_if) {
      const both = only_if.get(beat)?.filter((option) => options.includes(option))
      only_if.set(beat, both ?? options)
    }
    for (const { beat, options } of conditions.unless) {
      unless.set(beat, [...new Set([...(unless.get(beat) ?? []), ...options])])
    }
  }
  const fallback_for = all.findLast((one) => one.fallback_for)?.fallback_for
  const acknowledges = all.at(-1)?.acknowledges
  return {
    only_if: listFrom(only_if),
    unless: listFrom(unless),
    ...(fallback_for && { fallback_for }),
    ...(acknowledges && { acknowledges }),
  }
}

const listFrom = (byBeat: Map<string, string[]>): Condition[] =>
  [...byBeat].map(([beat, options]) => ({ beat, options }))

/** Whether conditions hold on every path. */
export const isEmpty = ({ only_if, unless, fallback_for }: Conditions): boolean =>
  only_if.length === 0 && unless.length === 0 && !fallback_for

/** The decisions that conditions name in `only_if` and `unless`. */
export const beatsIn = ({ only_if, unless }: Conditions): string[] =>
  [...only_if, ...unless].map(({ beat }) => beat)

/** What a decision can come to, besides not being asked. */
export const outcomesOf = ({ options }: DecisionPoint): string[] => [
  ...options.map(({ option }) => option),
  lapsed,
]

/** Whether conditions hold when one decision has this outcome. */
export function holdWith(
  { only_if, unless, fallback_for, acknowledges }: Conditions,
  { beat, fallback_option }: DecisionPoint,
  outcome: string,
): boolean {
  if (fallback_for === beat && outcome !== lapsed) return false
  if (acknowledges === beat && outcome === lapsed) return false
  const ending = outcome === lapsed ? fallback_option : outcome
  const names = (condition: Condition) =>
    condition.beat === beat && condition.options.includes(ending)
  return only_if.every((one) => one.beat !== beat || names(one)) && !unless.some(names)
}

/** Whether conditions hold on a path. */
export const holdOn = (conditions: Conditions, decisions: DecisionPoint[], path: Path): boolean =>
  isEmpty(conditions) ||
  decisions.every((one) => holdWith(conditions, one, path.get(one.beat) ?? notAsked))
