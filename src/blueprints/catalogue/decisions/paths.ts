import type { DecisionPoint } from '../entries.js'
import { type Conditions, holdOn, notAsked, outcomesOf, type Path } from './conditions.js'

/** The conditions under which each decision is asked, by its beat. */
export type Asks = ReadonlyMap<string, Conditions[]>

/** Marks those decisions of a path that are not asked on it. */
export function pathOf(outcomes: Path, decisions: DecisionPoint[], asks: Asks): Path {
  let path = outcomes
  // A decision may depend on another one. Each round settles one more link of such a chain.
  for (const _ of decisions) {
    const known = path
    path = new Map(
      decisions.map(({ beat }) => {
        const isAsked = asks.get(beat)?.some((ask) => holdOn(ask, decisions, known))
        return [beat, isAsked ? (outcomes.get(beat) ?? notAsked) : notAsked]
      }),
    )
  }
  return path
}

/** All paths through some decisions, each with an option or `lapsed` for every decision. */
export function pathsThrough(decisions: DecisionPoint[], asks: Asks): Path[] {
  const choices = decisions.reduce<Path[]>(
    (paths, decision) =>
      paths.flatMap((path) =>
        outcomesOf(decision).map((outcome) => new Map([...path, [decision.beat, outcome]])),
      ),
    [new Map()],
  )
  const paths = choices.map((outcomes) => pathOf(outcomes, decisions, asks))
  return [...new Map(paths.map((path) => [[...path.values()].join(' '), path])).values()]
}
