import type { Path } from '../catalogue/decisions/conditions.js'
import {
  type Catalogue,
  type ModelField,
  type Models,
  modelFields,
  type Scenario,
} from '../catalogue/entries.js'
import { modelLabel } from '../names.js'
import type { Bundle } from './bundle.js'
import { castOf } from './cast.js'
import { channelsOf } from './channels.js'
import { experimentOf } from './experiment.js'
import { characterOf } from './persona.js'
import { modelOf, scriptOf } from './script/script.js'

export type { Bundle, BundleCharacter, BundleMessage } from './bundle.js'

export interface BundleRequest {
  organization_id: string
  scenario_type: string
  team_size: number | null
  models: Partial<Record<ModelField, string | null>>
  /** Usernames that other users of the organization have. The bundle avoids them. */
  takenUsernames?: ReadonlySet<string>
  /** How the decisions end. Without it the bundle has the messages of all paths. */
  path?: Path
}

export function composeBundle(catalogue: Catalogue, request: BundleRequest): Bundle {
  const { scenario_type } = request
  const { script, cast, seed } = castScript(catalogue, request)
  const { models, effects } = script

  return {
    scenario_type,
    catalogue_version: catalogue.version,
    models,
    team_size: cast.length,
    characters: cast.map((member) =>
      characterOf(member, {
        cast,
        people: catalogue.people,
        relations: effects.relationship_model,
        seed,
      }),
    ),
    channels: channelsOf(script, cast, request.path),
    experiment: experimentOf(scenario_type, script, cast),
    departments: [...new Set(cast.map((member) => member.role.department))],
    warnings: [
      ...(catalogue.scenarios.has(scenario_type)
        ? []
        : [unknownScenario(catalogue, scenario_type)]),
      ...sizeWarnings(script.scenario, request),
      ...modelWarnings(catalogue, models, script.scenario.models),
    ],
  }
}

/** The cast, and the script: all lines that the cast may say. */
export function castScript(catalogue: Catalogue, request: BundleRequest) {
  const { organization_id, scenario_type } = request
  const scenario = scenarioFor(catalogue, scenario_type)
  const script = scriptOf(catalogue, scenario, modelsFor(request.models, scenario))
  const seed = `${organization_id}/${scenario_type}`
  const cast = castOf(catalogue, scenario, {
    topology: script.effects.team_topology,
    seed,
    team_size: Math.max(request.team_size ?? 6, smallestCast(scenario)),
    takenUsernames: request.takenUsernames ?? new Set(),
  })
  return { script, cast, seed }
}

/** How many characters a scenario needs. One that cannot be played solo needs three. */
const smallestCast = ({ solo }: Scenario) => (solo === false ? 3 : 1)

function sizeWarnings(scenario: Scenario, { team_size }: BundleRequest): Bundle['warnings'] {
  const least = smallestCast(scenario)
  if (team_size === null || team_size >= least) return []
  const message = `This scenario needs ${least} characters, so it gets ${least}`
  return [{ field: 'team_size', value: String(team_size), message }]
}

function scenarioFor({ scenarios }: Catalogue, scenario_type: string): Scenario {
  const scenario = scenarios.get(scenario_type) ?? scenarios.get('generic')
  if (!scenario) throw new Error('The catalogue has no generic scenario')
  return scenario
}

/** The requested models. A blank or null one is replaced by the scenario's own. */
function modelsFor(given: BundleRequest['models'], scenario: Scenario): Models {
  const models: Models = { ...scenario.models }
  for (const field of modelFields) {
    const value = given[field]
    if (value?.trim()) models[field] = value
  }
  return models
}

function unknownScenario({ scenarios }: Catalogue, value: string) {
  const known = [...scenarios.keys()].sort().join(', ')
  const message = `Unknown scenario type: the generic scenario is used under this name. Known are ${known}`
  return { field: 'scenario_type', value, message }
}

/** Unknown values, and values that contradict each other. A scenario's own models may contradict. */
function modelWarnings(catalogue: Catalogue, models: Models, presets: Models): Bundle['warnings'] {
  const isOwn = (field: ModelField) => models[field] === presets[field]
  return modelFields.flatMap((field) => {
    const model = modelOf<ModelField>(catalogue, field, models[field])
    const message = 'Unknown value: it is kept, and has no effect on the bundle'
    if (!model) return [{ field, value: models[field], message }]
    return (model.contradicts ?? [])
      .filter((other) => models[other.field] === other.value)
      .filter((other) => !isOwn(field) || !isOwn(other.field))
      .map((other) => ({
        field,
        value: model.value,
        message: `Pulls against ${other.field.replaceAll('_', ' ')} “${modelLabel(catalogue, other.field, other.value)}”: ${other.why}`,
      }))
  })
}
