import { askRules } from './ask-rules.js'
import { decisionRules } from './decision-rules.js'
import { guardRules } from './guard-rules.js'
import type { Finding } from './measured.js'
import { pathRules } from './path-rules.js'
import { pathText } from './paths.js'
import { postRules } from './post-rules.js'
import type { Rules } from './rule.js'
import { minutesOf, type View } from './views.js'

/** The rules for one arm of a team on one path. */
export const rulesOnPath: Rules = { ...pathRules, ...decisionRules, ...askRules }

/** The rules for each arm of each team. */
export const playRules: Rules = { ...rulesOnPath, ...postRules, ...guardRules }

/** Checks one team with one choice of models, in both arms. */
export function findingsInPlay(
  views: View[],
  { rules = playRules, minutes = minutesOf(views) } = {},
): Finding[] {
  return views.flatMap((view) => {
    const { scenario, changed: models, size, arm } = view
    const path = view.path && pathText(view.path)
    const about = { scenario: scenario.scenario_type, models, size, arm, path }
    return Object.entries(rules).flatMap(([rule, find]) =>
      find(view, minutes).map((found) => ({ rule, ...about, ...found })),
    )
  })
}
