import type { Catalogue, Scenario } from '../../src/blueprints/catalogue/entries.js'
import { compareScenarios } from './comparisons.js'
import { type FindingAbout, type Measured, none } from './measured.js'
import { measureModelFiles } from './model-files.js'
import { measureModels } from './models.js'
import { findingsInPlay, playRules } from './play-rules.js'
import { measureProse } from './prose.js'
import { measureRoles } from './roles.js'
import { sizes, variations, viewsOf } from './views.js'

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

/** Composes every scenario with every value, or pair of values, for teams of every size. */
function measurePlay(catalogue: Catalogue, scenarios: Scenario[], pairs: boolean): Measured[] {
  const found = new Map<string, FindingAbout[]>(Object.keys(playRules).map((rule) => [rule, []]))
  let composed = 0
  for (const scenario of scenarios) {
    for (const models of [{}, ...variations(catalogue, scenario.models)]) {
      if (!pairs && Object.keys(models).length > 1) continue
      for (const size of sizes) {
        const views = viewsOf(catalogue, scenario, size, models)
        composed += views.length
        for (const finding of findingsInPlay(views)) found.get(finding.rule)?.push(finding)
      }
    }
  }
  return [
    { rule: 'arms composed', bound: 'all', figure: String(composed), findings: [] },
    ...[...found].map(([rule, findings]) => ({
      ...none(rule, withTimes(findings)),
      figure: String(findings.length),
    })),
  ]
}

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
