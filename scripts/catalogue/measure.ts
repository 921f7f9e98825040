import type { Path } from '../../src/blueprints/catalogue/decisions/conditions.js'
import type { Catalogue, Scenario } from '../../src/blueprints/catalogue/entries.js'
import { compareScenarios } from './comparisons.js'
import { type Finding, type FindingAbout, type Measured, none } from './measured.js'
import { measureModelFiles } from './model-files.js'
import { measureModels } from './models.js'
import { lapsingPath, onPath, pathsOf } from './paths.js'
import { findingsInPlay, playRules, rulesOnPath } from './play-rules.js'
import { postRules } from './post-rules.js'
import { measureProse } from './prose.js'
import { measureRoles } from './roles.js'
import { minutesOf, sizes, type View, variations, viewsOf } from './views.js'

/** Measures every rule of the content standard. `pairs` of values take minutes. */
export function measureCatalogue(
  catalogue: Catalogue,
  scenarios: Scenario[],
  { pairs }: { pairs: boolean },
): Measured[] {
  return [
    ...measurePlay(catalogue, scenarios, pairs),
    ...scenarios.flatMap((scenario) => [
      ...measureProse(catalogue, scenario),
      ...measureModels(catalogue, scenario),
      ...measureRoles(catalogue, scenario),
    ]),
    ...(scenarios.length > 1
      ? [...measureModelFiles(catalogue, scenarios), ...compareScenarios(catalogue, scenarios)]
      : []),
  ]
}

/**
 * Composes every scenario for teams of every size: with its own models on every path, and with every
 * other value, or pair of values, on the path on which all decisions lapse. The rules for single posts
 * see the posts of all paths.
 */
function measurePlay(catalogue: Catalogue, scenarios: Scenario[], pairs: boolean): Measured[] {
  const found = new Map<string, FindingAbout[]>(Object.keys(playRules).map((rule) => [rule, []]))
  const add = (findings: Finding[]) => {
    for (const finding of findings) found.get(finding.rule)?.push(finding)
  }
  let [composed, onPaths] = [0, 0]
  for (const scenario of scenarios) {
    for (const models of [{}, ...variations(catalogue, scenario.models)]) {
      if (!pairs && Object.keys(models).length > 1) continue
      for (const size of sizes) {
        const views = viewsOf(catalogue, scenario, size, models)
        const minutes = minutesOf(views)
        const isOwn = Object.keys(models).length === 0
        const paths = isOwn ? everyPath(views) : [lapsingPath(scenario)]
        composed += views.length
        onPaths += paths.length * views.length
        add(findingsInPlay(views, { rules: postRules, minutes }))
        for (const path of paths) {
          const onOne = views.map((view) => onPath(view, path))
          add(findingsInPlay(onOne, { rules: rulesOnPath, minutes }))
        }
      }
    }
  }
  return [
    { rule: 'arms composed', bound: 'all', figure: String(composed), findings: [] },
    { rule: 'paths of arms composed', bound: 'all', figure: String(onPaths), findings: [] },
    ...[...found].map(([rule, findings]) => ({
      ...none(rule, withTimes(findings)),
      figure: String(findings.length),
    })),
  ]
}

/** The paths through a scenario. They are the same in both arms. */
const everyPath = ([view]: View[]): Path[] => (view ? pathsOf(view) : [])

/** Joins the same finding in several teams and models into one that has the number of times. */
function withTimes(findings: FindingAbout[]): FindingAbout[] {
  const groups = new Map<string, FindingAbout[]>()
  for (const finding of findings) {
    const key = [finding.scenario, finding.line, finding.message].join('/')
    groups.set(key, [...(groups.get(key) ?? []), finding])
  }
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const times = others.length > 0 ? `, ${others.length + 1} times in all` : ''
    return [{ ...first, message: `${first.message}${times}` }]
  })
}
