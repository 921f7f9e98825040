import type { Pack } from '../../scripts/catalogue/print/pack.js'
import { composeBundle } from '../../src/blueprints/bundle/compose.js'
import type { Arm, Catalogue, Scenario } from '../../src/blueprints/catalogue/entries.js'

/** The pack of a scenario for an organization with six characters. */
export function packOf(catalogue: Catalogue, scenario: Scenario, arm: Arm = 'control'): Pack {
  const { scenario_type } = scenario
  const request = { organization_id: 'acme', scenario_type, team_size: 6, models: {} }
  const bundle = composeBundle(catalogue, request)
  return { scenario, bundle, arm, organization: 'Müller & Söhne' }
}

/** All texts in a value, by lines and cells of tables, without the dashes of lists and the boxes. */
export function linesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.split('\n').flatMap(partsOf)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(linesIn) : []
}

const partsOf = (line: string) => line.replace(/^(- )?(\[[ x]\] )?/, '').split(/ \|(?: |$)/)

/** Turns the signs that a page escapes back into text. */
export const unescaped = (page: string): string =>
  page
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
