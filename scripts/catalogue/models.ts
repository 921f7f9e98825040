import {
  type Catalogue,
  type Models,
  modelFields,
  type Scenario,
} from '../../src/blueprints/catalogue/entries.js'
import { type FindingAbout, largest, type Measured, none } from './measured.js'
import { sharedShare } from './ngrams.js'
import { hasBranches, lapsingPath, onPath, pathsOf } from './paths.js'
import { type Changed, controlOf, textsIn, viewsOf } from './views.js'

/** Measures how much the models change one scenario with six people, on each path. */
export function measureModels(catalogue: Catalogue, scenario: Scenario): Measured[] {
  return [
    measureValues(catalogue, scenario),
    measureKept(catalogue, scenario),
    demand(catalogue, scenario),
    decisions(catalogue, scenario),
  ]
}

/** The texts that the control arm reads on each path. Without branches, the lapsing path has all texts. */
function textsOnPaths(catalogue: Catalogue, scenario: Scenario, models: Changed = {}): string[][] {
  const [control] = viewsOf(catalogue, scenario, 6, models)
  if (!control) return []
  const paths = hasBranches(scenario) ? pathsOf(control) : [lapsingPath(scenario)]
  return paths.map((path) => textsIn(onPath(control, path).posts))
}

/**
 * Measures how much stays when all models change. Without shared lines, each line of the story stays
 * in some wording, so more may be kept.
 */
function measureKept(catalogue: Catalogue, scenario: Scenario): Measured {
  const { scenario_type, models: presets, shared_model_lines = true } = scenario
  const own = textsOnPaths(catalogue, scenario)
  return largest(
    'five-word sequences kept when all eight change',
    shared_model_lines ? 0.4 : 0.5,
    [1, 2, 3].map((step) => {
      const models = othersOf(catalogue, presets, step)
      const others = textsOnPaths(catalogue, scenario, models)
      const share = Math.max(...own.map((texts, i) => sharedShare(texts, others[i] ?? [])))
      const message = `under ${Object.values(models).join(', ')}`
      return { share, about: { scenario: scenario_type, message } }
    }),
  )
}

/** Counts the posts that each value changes. */
function measureValues(catalogue: Catalogue, scenario: Scenario): Measured {
  const own = textsOnPaths(catalogue, scenario).map((texts) => new Set(texts))
  const changes = modelFields.flatMap((field) =>
    catalogue.models[field]
      .filter(({ value }) => value !== scenario.models[field])
      .map(({ value }) => {
        const others = textsOnPaths(catalogue, scenario, { [field]: value })
        const onEach = others.map((texts, i) => texts.filter((text) => !own[i]?.has(text)).length)
        return { models: `${field} ${value}`, changed: Math.min(...onEach) }
      }),
  )
  const weak = changes
    .filter(({ changed }) => changed < 3)
    .map(({ models, changed }): FindingAbout => {
      return { scenario: scenario.scenario_type, models, message: `changes ${changed} texts` }
    })
  const figure = String(Math.min(...changes.map(({ changed }) => changed)))
  return { ...none('posts that a value changes', weak), bound: 'at least 3', figure }
}

/** Another value of each field, `step` positions further in the list. */
function othersOf({ models }: Catalogue, presets: Models, step: number): Models {
  const other = { ...presets }
  for (const field of modelFields) {
    const values = models[field].map(({ value }) => value)
    const others = values.filter((value) => value !== presets[field])
    other[field] = others[(step - 1) % others.length] ?? presets[field]
  }
  return other
}

/** Demand shows in the number of posts: high strain has at least a tenth more than low strain. */
function demand(catalogue: Catalogue, scenario: Scenario): Measured {
  const rule = 'posts under low, active, high and isolated high strain'
  const values = ['low_strain', 'active', 'high_strain', 'isolated_high_strain']
  const counts = values.map((pressure_model) =>
    textsOnPaths(catalogue, scenario, { pressure_model }).map((texts) => texts.length),
  )
  const onEach = (counts[0] ?? []).map((_, i) => counts.map((numbers) => numbers[i] ?? 0))
  const figures = [...new Set(onEach.map((numbers) => numbers.join(', ')))]
  const found = [...new Set(onEach.filter((numbers) => !isFelt(numbers)).map(String))]
  const findings = found.map((message) => ({ scenario: scenario.scenario_type, message }))
  return { ...none(rule, findings), bound: 'rising by a tenth', figure: figures.join(' · ') }
}

const isFelt = ([low = 0, active = 0, high = 0, isolated = 0]: number[]): boolean =>
  low < active && active < high && Math.min(high, isolated) >= 1.1 * low

/** Each culture should word its requests and decisions in its own way. */
function decisions(catalogue: Catalogue, scenario: Scenario): Measured {
  const rule = 'cultures that decide alike'
  const worded = catalogue.models.org_culture.map(({ value: org_culture }) =>
    controlOf(catalogue, scenario, 6, { org_culture })
      .filter(({ line }) => line.kind === 'decision_point' || line.kind === 'request')
      .map(({ text }) => text)
      .join('\n'),
  )
  const alike = worded.length - new Set(worded).size
  const message = `${alike} say the same at decisions and requests`
  return none(rule, alike === 0 ? [] : [{ scenario: scenario.scenario_type, message }])
}
