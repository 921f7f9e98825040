import { asksIn, postsOn } from '../../src/blueprints/bundle/script/path-posts.js'
import {
  lapsed,
  notAsked,
  outcomesOf,
  type Path,
} from '../../src/blueprints/catalogue/decisions/conditions.js'
import { pathsThrough } from '../../src/blueprints/catalogue/decisions/paths.js'
import type { Scenario } from '../../src/blueprints/catalogue/entries.js'
import type { View } from './views.js'

/** All paths of a view. */
export const pathsOf = ({ scenario, all }: View): Path[] =>
  pathsThrough(scenario.decision_points ?? [], asksIn(all))

/** The same view on one path. */
export const onPath = (view: View, path: Path): View => {
  return { ...view, path, posts: postsOn(view.scenario, view.all, path) }
}

/** The path on which every decision lapses. */
export const lapsingPath = ({ decision_points = [] }: Scenario): Path =>
  new Map(decision_points.map(({ beat }) => [beat, lapsed]))

/** A path as an option of a command has it. */
export const pathText = (path: Path): string =>
  [...path]
    .filter(([, outcome]) => outcome !== notAsked)
    .map((each) => each.join('='))
    .join(',')

/** Reads a path such as `repair=by_hand,places=lapsed`. Decisions that it leaves out lapse. */
export function pathFrom(text: string, scenario: Scenario): Path {
  const { decision_points = [] } = scenario
  const path = new Map(lapsingPath(scenario))
  for (const pair of text.split(',').filter(Boolean)) {
    const [beat = '', outcome = ''] = pair.split('=')
    const decision = decision_points.find((one) => one.beat === beat)
    if (!decision) {
      const known = decision_points.map((one) => one.beat).join(', ')
      throw new Error(`There is no decision ${beat} in ${scenario.scenario_type}: ${known}`)
    }
    const outcomes = outcomesOf(decision)
    if (!outcomes.includes(outcome)) {
      throw new Error(`The decision ${beat} ends in ${outcomes.join(', ')}, not in ${outcome}`)
    }
    path.set(beat, outcome)
  }
  return path
}

/** Whether some of what is said depends on a decision. */
export const hasBranches = ({ story, voices = [] }: Scenario): boolean =>
  [...story, ...voices].some(({ only_if, unless, replies = [] }) =>
    [{ only_if, unless }, ...replies].some((one) => one.only_if || one.unless),
  )
