import { parseArgs } from 'node:util'
import { composeBundle } from '../src/blueprints/bundle/compose.js'
import { type Arm, modelFields } from '../src/blueprints/catalogue/entries.js'
import { loadCatalogue } from '../src/blueprints/catalogue/load.js'
import { readBundle } from './catalogue/reading.js'

const usage = `Prints a bundle as people read it: npm run catalogue:read -- --scenario NAME [OPTIONS]

  --models LIST     other models than the scenario's own: org_culture=market,pressure_model=passive
  --arm ARM         control (as is without it) or intervention
  --size N          how many characters, 1 to 50; 6 without it
  --by channel      channel by channel instead of in the order of time
  --participant     without what only the facilitator sees
  --dir FOLDER      an organization's own files beside ours, as CATALOGUE_DIR

Prints Markdown.`

const options = {
  scenario: { type: 'string' },
  models: { type: 'string', default: '' },
  arm: { type: 'string', default: 'control' },
  size: { type: 'string', default: '6' },
  by: { type: 'string', default: 'time' },
  participant: { type: 'boolean', default: false },
  dir: { type: 'string' },
  help: { type: 'boolean' },
} as const

function read(): string {
  const { values } = parseArgs({ options })
  if (values.help || values.scenario === undefined) return usage
  const catalogue = loadCatalogue(values.dir ?? process.env.CATALOGUE_DIR)
  const scenario = catalogue.scenarios.get(values.scenario)
  if (!scenario) {
    throw new Error(
      `There is no scenario ${values.scenario}: ${[...catalogue.scenarios.keys()].join(', ')}`,
    )
  }
  const bundle = composeBundle(catalogue, {
    organization_id: '019cbb3e-5c00-7a10-8e2f-1d2c3b4a5f00',
    scenario_type: values.scenario,
    team_size: sizeOf(values.size),
    models: modelsIn(values.models),
  })
  const byTime = values.by !== 'channel'
  return readBundle(scenario, bundle, {
    arm: armOf(values.arm),
    byTime,
    forFacilitator: !values.participant,
  })
}

function sizeOf(text: string): number {
  const size = Number(text)
  if (Number.isInteger(size) && size >= 1 && size <= 50) return size
  throw new Error(`A team has 1 to 50 characters, not ${text}`)
}

function armOf(text: string): Arm {
  if (text === 'control' || text === 'intervention') return text
  throw new Error(`There is no arm ${text}: control or intervention`)
}

function modelsIn(text: string): Record<string, string> {
  const pairs = text
    .split(',')
    .filter(Boolean)
    .map((pair) => pair.split('='))
  for (const [field] of pairs) {
    if (!modelFields.some((one) => one === field))
      throw new Error(`There is no model ${field}: ${modelFields.join(', ')}`)
  }
  return Object.fromEntries(pairs)
}

try {
  console.log(read())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
