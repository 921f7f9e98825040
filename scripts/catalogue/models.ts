import {
  type Catalogue,
  type Models,
  modelFields,
  type Scenario,
} from '../../src/blueprints/catalogue/entries.js'
import { type FindingAbout, largest, type Measured, none } from './measured.js'
import { sharedShare } from './ngrams.js'
import { controlOf, saidIn, textsIn } from './views.js'

/** Measures how much the models change one scenario with six people. */
export function measureModels(catalogue: Catalogue, scenario: Scenario): Measured[] {
  const { scenario_type, models: presets } = scenario
  const texts = textsIn(controlOf(catalogue, scenario, 6))
  return [
    measureValues(catalogue, scenario, new Set(texts)),
    largest(
      'five-word sequences kept when all eight change',
      0.4,
      [1, 2, 3].map((step) => {
        const models = othersOf(catalogue, presets, step)
        const share = sharedShare(texts, textsIn(controlOf(catalogue, scenario, 6, models)))
        const message = `under ${Object.values(models).join(', ')}`
        return { share, about: { scenario: scenario_type, message } }
      }),
    ),
    demand(catalogue, scenario),
    decisions(catalogue, scenario),
  ]
}

/** Counts the posts that each value changes. */
function measureValues(
  catalogue: Catalogue,
  scenario: Scenario,
  texts: ReadonlySet<string>,
): Measured {
  const changes = modelFields.flatMap((field) =>
    catalogue.models[field]
      .filter(({ value }) => value !== scenario.models[field])
      .map(({ value }) => {
        const posts = saidIn(controlOf(catalogue, scenario, 6, { [field]: value }))
        const changed = posts.filter(({ text }) => !texts.has(text)).length
        return { models: `${field} ${value}`, changed }
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
  const posts = (pressure_model: string) =>
    saidIn(controlOf(catalogue, scenario, 6, { pressure_model })).length
  const [low, active] = [posts('low_strain'), posts('active')]
  const [high, isolated] = [posts('high_strain'), posts('isolated_high_strain')]
  const isFelt = low < active && active < high && Math.min(high, isolated) >= 1.1 * low
  const figure = [low, active, high, isolated].join(', ')
  const found = { scenario: scenario.scenario_type, message: figure }
  return { ...none(rule, isFelt ? [] : [found]), bound: 'rising by a tenth', figure }
}

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
