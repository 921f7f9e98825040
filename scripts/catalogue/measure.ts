import type { Catalogue, Scenario } from '../../src/blueprints/catalogue/entries.js'
import { compareScenarios } from './comparisons.js'
import { measureModelFiles } from './model-files.js'
import { measureModels } from './models.js'
import { findingsInPlay, playRules } from './play.js'
import { type Measured, measureProse } from './prose.js'
import { measureRoles } from './roles.js'
import { type Finding, sizes, variations, viewsOf } from './views.js'

/** Every rule of the content standard with its figure; `pairs` of values take a minute. */
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
  const found = new Map<string, Finding[]>(Object.keys(playRules).map((rule) => [rule, []]))
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
    ...[...found].map(([rule, findings]) => {
      return { rule, bound: 'none', figure: String(findings.length), findings }
    }),
  ]
}
