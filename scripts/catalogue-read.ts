import { parseArgs } from 'node:util'
import { composeBundle } from '../src/blueprints/bundle/compose.js'
import { modelFields, type Scenario } from '../src/blueprints/catalogue/entries.js'
import { loadCatalogue } from '../src/blueprints/catalogue/load.js'
import { readConfig } from '../src/process/config.js'
import { pathFrom } from './catalogue/paths.js'
import { participantPack, trainerPack } from './catalogue/print/print-pack.js'
import { readBundle } from './catalogue/reading.js'

const usage = `Prints a bundle as people read it: npm run catalogue:read -- --scenario NAME [OPTIONS]

  --models LIST     other models than the scenario's own: org_culture=market,pressure_model=passive
  --path LIST       how the decisions end: repair=by_hand,places=lapsed. Decisions that are left out
                    lapse. Without it all messages are there, each with its conditions
  --arm ARM         control (the default) or intervention
  --size N          how many characters, 1 to 50; 6 without it
  --organization ID the organization, which decides the names of the people; has a default
  --by channel      channel by channel instead of in the order of time
  --participant     without the parts that only the facilitator sees
  --print           the pack for paper instead, as a page of HTML that needs nothing else: print it on
                    A4 or Letter. It has all paths
  --organization-name NAME  what the first page calls the organization, with --print
  --role KEY        with --print --participant: also the card of this role, for its own person
  --dir FOLDER      an organization's own files beside ours, as CATALOGUE_DIR

Prints Markdown, and HTML with --print. Exits with 2 when there is nothing to print.`

const options = {
  scenario: { type: 'string' },
  models: { type: 'string', default: '' },
  path: { type: 'string' },
  arm: { type: 'string', default: 'control' },
  size: { type: 'string', default: '6' },
  organization: { type: 'string', default: '019cbb3e-5c00-7a10-8e2f-1d2c3b4a5f00' },
  by: { type: 'string' },
  participant: { type: 'boolean', default: false },
  print: { type: 'boolean', default: false },
  'organization-name': { type: 'string' },
  role: { type: 'string' },
  dir: { type: 'string' },
  help: { type: 'boolean' },
} as const

function read(): string {
  const { values } = parseArgs({ options })
  if (values.help) return usage
  if (values.scenario === undefined) throw new Error(usage)
  checkPrint(values)
  const catalogue = loadCatalogue(values.dir ?? readConfig().catalogueDir ?? undefined)
  const scenario = catalogue.scenarios.get(values.scenario)
  if (!scenario) {
    throw new Error(
      `There is no scenario ${values.scenario}: ${[...catalogue.scenarios.keys()].join(', ')}`,
    )
  }
  const path = values.path === undefined ? undefined : pathFrom(values.path, scenario)
  const bundle = composeBundle(catalogue, {
    organization_id: values.organization,
    scenario_type: values.scenario,
    team_size: sizeOf(values.size),
    models: modelsIn(values.models),
    path,
  })
  const arm = oneOf('--arm', values.arm, ['control', 'intervention'])
  if (values.print) {
    const pack = { scenario, bundle, arm, organization: values['organization-name'] }
    if (!values.participant) return trainerPack(pack)
    return participantPack(pack, roleIn(scenario, values.role))
  }
  return readBundle(scenario, bundle, {
    arm,
    path,
    byTime: oneOf('--by', values.by ?? 'time', ['time', 'channel']) === 'time',
    forFacilitator: !values.participant,
  })
}

/** Refuses options that would change nothing. */
function checkPrint(values: Partial<Record<keyof typeof options, string | boolean>>): void {
  const { print, participant } = values
  for (const option of ['path', 'by'] as const) {
    if (!print || values[option] === undefined) continue
    throw new Error(`--print has all paths in the order of time, so leave out --${option}`)
  }
  if (values['organization-name'] !== undefined && !print) {
    throw new Error('--organization-name is for --print')
  }
  if (values.role !== undefined && !(print && participant)) {
    throw new Error('--role is for --print --participant')
  }
}

function roleIn({ participant_roles = [], scenario_type }: Scenario, role: string | undefined) {
  const keys = participant_roles.map(({ role_key }) => role_key)
  if (role === undefined || keys.includes(role)) return role
  throw new Error(`There is no role ${role} in ${scenario_type}: ${keys.join(', ')}`)
}

function sizeOf(text: string): number {
  const size = Number(text)
  if (Number.isInteger(size) && size >= 1 && size <= 50) return size
  throw new Error(`A team has 1 to 50 characters, not ${text}`)
}

function oneOf<Choice extends string>(option: string, text: string, choices: Choice[]): Choice {
  const found = choices.find((choice) => choice === text)
  if (found) return found
  throw new Error(`${option} is ${choices.join(' or ')}, not ${text}`)
}

function modelsIn(text: string): Record<string, string> {
  const pairs = text
    .split(',')
    .filter(Boolean)
    .map((pair) => pair.split('='))
  for (const [field, value] of pairs) {
    if (modelFields.some((one) => one === field) && value) continue
    throw new Error(`--models are such as org_culture=market, of ${modelFields.join(', ')}`)
  }
  return Object.fromEntries(pairs)
}

try {
  console.log(read())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
