import type { Role, Schema } from '../contract.js'
import { entityTagOf } from '../entity-tags.js'
import { type Catalogue, type ModelField, modelFields, type Scenario } from './catalogue/entries.js'
import { fillWith, modelValue } from './model-values.js'

type Blueprint = Schema<'Blueprint'>

/** By which blueprints are listed. */
export const byScenario = { scenario_type: () => true }

/** A blueprint as the text that is sent, and the tag of that. */
export interface Readable {
  scenario_type: string
  text: string
  tag: string
}

interface Shelves {
  whole: Readable[]
  forParticipants: Readable[]
}

const leading: readonly Role[] = ['super_admin', 'admin', 'hr']
const shelvesOf = new WeakMap<Catalogue, Shelves>()

/** The blueprints as somebody with this role may read them, by their `scenario_type`. */
export function blueprintsFor(role: Role, catalogue: Catalogue): Readable[] {
  const shelves = shelvesOf.get(catalogue) ?? readShelves(catalogue)
  shelvesOf.set(catalogue, shelves)
  return leading.includes(role) ? shelves.whole : shelves.forParticipants
}

function readShelves(catalogue: Catalogue): Shelves {
  const blueprints = [...catalogue.scenarios.values()]
    .map((scenario) => blueprintOf(catalogue, scenario))
    .sort((a, b) => (a.scenario_type < b.scenario_type ? -1 : 1))
  return {
    whole: blueprints.map(readable),
    forParticipants: blueprints.map(withoutFacilitatorParts).map(readable),
  }
}

function readable(blueprint: Blueprint): Readable {
  const text = JSON.stringify(blueprint)
  return { scenario_type: blueprint.scenario_type, text, tag: entityTagOf(text) }
}

/** Everything about a scenario that is not made for one organization only. */
export function blueprintOf(catalogue: Catalogue, scenario: Scenario): Blueprint {
  const { scenario_type, label, description, channels, experiment } = scenario
  const fill = fillWith(scenario)
  const model = (field: ModelField) => ({
    preset: scenario.models[field],
    values: catalogue.models[field].map((entry) => modelValue(entry, fill)),
  })
  return {
    scenario_type,
    label,
    description,
    catalogue_version: catalogue.version,
    models: Object.fromEntries(
      modelFields.map((field) => [field, model(field)]),
    ) as Blueprint['models'],
    cast: scenario.cast.map(({ education, certifications, dream_job, ...role }) => {
      const { private_goal, private_fact, ...open } = role
      return open
    }),
    channels: channels.map(({ channel_name, purpose }) => ({ channel_name, purpose })),
    participant_roles: scenario.participant_roles ?? [],
    beats: scenario.beats ?? [],
    decision_points: scenario.decision_points ?? [],
    intervention: scenario.intervention ?? null,
    hypothesis: experiment.hypothesis,
    measures: experiment.measures.map(({ label }) => label),
    rubric: experiment.rubric,
    run_sheet: scenario.run_sheet ?? [],
  }
}

/** As those may read it who take part. */
export function withoutFacilitatorParts(blueprint: Blueprint): Blueprint {
  const models = Object.entries(blueprint.models).map(([field, { preset, values }]) => {
    return [field, { preset, values: values.map((one) => ({ ...one, rubric: [] })) }]
  })
  const none = { beats: [], decision_points: [], measures: [], rubric: [], run_sheet: [] }
  return {
    ...blueprint,
    ...none,
    models: Object.fromEntries(models),
    intervention: null,
    hypothesis: null,
    participant_roles: blueprint.participant_roles.map(({ role_key, title, brief }) => {
      return { role_key, title, brief, private_information: null, goal: null }
    }),
  }
}
