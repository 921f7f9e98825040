import {
  type Catalogue,
  type Effects,
  type ModelField,
  type Models,
  modelFields,
  type Scenario,
} from '../catalogue/entries.js'
import { catalogueVersion } from '../catalogue/load.js'
import type { Bundle } from './bundle.js'
import { castOf, type Member } from './cast.js'
import { experimentOf } from './experiment.js'
import { messagesOf } from './messages.js'
import { characterOf } from './persona.js'

export type { Bundle, BundleCharacter, BundleMessage } from './bundle.js'

export interface BundleRequest {
  organization_id: string
  scenario_type: string
  team_size: number | null
  models: Partial<Record<ModelField, string | null>>
  /** Usernames that others in the organization have, so that no text means the wrong person. */
  takenUsernames?: ReadonlySet<string>
}

export function composeBundle(catalogue: Catalogue, request: BundleRequest): Bundle {
  const { scenario_type } = request
  const { scenario, warnings } = scenarioFor(catalogue, scenario_type)
  const team_size = request.team_size ?? 6
  const models = resolved(request.models, scenario)
  const effects = effectsOf(catalogue, models, warnings)
  const seed = `${request.organization_id}/${scenario_type}`
  const taken = request.takenUsernames ?? new Set<string>()
  const cast = castOf(catalogue, scenario, effects.team_topology, seed, team_size, taken)

  return {
    scenario_type,
    catalogue_version: catalogueVersion,
    models,
    team_size,
    characters: cast.map((member) =>
      characterOf(member, cast, catalogue.people, effects.relationship_model, seed),
    ),
    channels: channelsOf(scenario, cast, effects),
    experiment: experimentOf(scenario_type, scenario, models, cast, effects),
    departments: [...new Set(cast.map((member) => member.role.department))],
    warnings,
  }
}

function scenarioFor({ scenarios }: Catalogue, scenario_type: string) {
  const known = scenarios.get(scenario_type)
  const scenario = known ?? scenarios.get('generic')
  if (!scenario) throw new Error('The catalogue has no generic scenario')
  const message = 'Unknown scenario type: the generic scenario is used under this name'
  const warnings = known ? [] : [{ field: 'scenario_type', value: scenario_type, message }]
  return { scenario, warnings }
}

/** Blank counts as not given, like null. */
function resolved(given: BundleRequest['models'], scenario: Scenario): Models {
  const models: Models = { ...scenario.models }
  for (const field of modelFields) {
    const value = given[field]
    if (value?.trim()) models[field] = value
  }
  return models
}

function effectsOf(catalogue: Catalogue, models: Models, warnings: Bundle['warnings']): Effects {
  const effect = <Field extends ModelField>(field: Field): Effects[Field] => {
    const { values, neutral } = catalogue.models[field]
    const entry = values.find(({ value }) => value === models[field])
    const message = 'Unknown value: it is kept, and has no effect on the bundle'
    if (!entry) warnings.push({ field, value: models[field], message })
    return entry?.effects ?? neutral
  }
  return {
    org_culture: effect('org_culture'),
    pressure_model: effect('pressure_model'),
    team_topology: effect('team_topology'),
    meeting_model: effect('meeting_model'),
    evaluation_model: effect('evaluation_model'),
    relationship_model: effect('relationship_model'),
    consequence_model: effect('consequence_model'),
    knowledge_model: effect('knowledge_model'),
  }
}

function channelsOf(scenario: Scenario, cast: Member[], effects: Effects): Bundle['channels'] {
  const names = new Map(scenario.channels.map(({ key, channel_name }) => [key, channel_name]))
  names.set('meeting', effects.meeting_model.channel)
  for (const { key, members } of effects.team_topology.teams) {
    const member = cast.find(({ role }) => members.some((slot) => slot === role.slot))
    if (member) names.set(key, member.team.channel)
  }
  const scenes = messagesOf(scenario, cast, effects)
  const keys = new Set([...names.keys(), ...scenes.map(({ channel }) => channel)])
  return [...keys].flatMap((key) => {
    const spoken = scenes.filter(({ channel }) => channel === key)
    if (spoken.length === 0) return []
    const message_templates = spoken.map(({ message }) => message)
    return [{ channel_name: names.get(key) ?? key, message_templates }]
  })
}
