import type { Role, Schema } from '../contract.js'
import { entityTagOf } from '../formats/entity-tags.js'
import { leads } from '../identity/roles.js'
import { type Catalogue, type ModelField, modelFields, type Scenario } from './catalogue/entries.js'
import { fillWith, modelValue } from './model-values.js'

type Blueprint = Schema<'Blueprint'>

/** Sorted by scenario. */
export const byScenario = { scenario_type: () => true }

/** A blueprint as JSON text, ready to be sent, with its entity tag. */
export interface BlueprintText {
  scenario_type: string
  text: string
  tag: string
  /** The JSON text of the item in a list. It is the same for all roles. */
  listed: string
}

interface BlueprintTexts {
  forLeads: BlueprintText[]
  forParticipants: BlueprintText[]
}

const textsByCatalogue = new WeakMap<Catalogue, BlueprintTexts>()

/** Returns the blueprints that a role may read, sorted by `scenario_type`. */
export function blueprintsFor(role: Role, catalogue: Catalogue): BlueprintText[] {
  const texts = textsByCatalogue.get(catalogue) ?? writeTexts(catalogue)
  textsByCatalogue.set(catalogue, texts)
  return leads(role) ? texts.forLeads : texts.forParticipants
}

function writeTexts(catalogue: Catalogue): BlueprintTexts {
  const blueprints = [...catalogue.scenarios.values()]
    .map((scenario) => blueprintOf(catalogue, scenario))
    .sort((a, b) => (a.scenario_type < b.scenario_type ? -1 : 1))
  return {
    forLeads: blueprints.map((one) => blueprintText(one, one)),
    forParticipants: blueprints.map((one) => blueprintText(one, withoutFacilitatorParts(one))),
  }
}

function blueprintText(blueprint: Blueprint, shown: Blueprint): BlueprintText {
  const text = JSON.stringify(shown)
  const listed = JSON.stringify(listedOf(blueprint))
  return { scenario_type: blueprint.scenario_type, text, tag: entityTagOf(text), listed }
}

/** The item in a list, which helps to choose a blueprint. All participants may read it. */
function listedOf(blueprint: Blueprint): Schema<'ListedBlueprint'> {
  const { scenario_type, label, description, lang, models } = blueprint
  const { catalogue_version, run_sheet } = blueprint
  const presets = modelFields.map((field) => [field, models[field].preset])
  return {
    scenario_type,
    label,
    description,
    lang,
    catalogue_version,
    duration_minutes: run_sheet.at(-1)?.to_minute ?? null,
    cast_size: blueprint.cast.length,
    channel_names: blueprint.channels.map(({ channel_name }) => channel_name),
    participant_roles: blueprint.participant_roles.map(({ role_key, title }) => ({
      role_key,
      title,
    })),
    presets: Object.fromEntries(presets) as Schema<'BlueprintPresets'>,
  }
}

/** The whole blueprint of a scenario, for those who lead a drill. */
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
    lang: scenario.lang ?? 'en',
    catalogue_version: catalogue.version,
    situation: scenario.situation ?? null,
    solo: scenario.solo ?? null,
    models: Object.fromEntries(
      modelFields.map((field) => [field, model(field)]),
    ) as Blueprint['models'],
    cast: scenario.cast.map(({ education, certifications, dream_job, ...role }) => {
      const { private_goal, private_fact, ...open } = role
      return open
    }),
    channels: channels.map(({ channel_name, purpose }) => ({ channel_name, purpose })),
    participant_roles: scenario.participant_roles ?? [],
    artefacts: (scenario.artefacts ?? []).map(({ title, text }) => ({ title, text })),
    beats: scenario.beats ?? [],
    decision_points: scenario.decision_points ?? [],
    observer: scenario.observer ?? [],
    debrief: scenario.debrief ?? [],
    intervention: scenario.intervention ?? null,
    hypothesis: experiment.hypothesis,
    measures: experiment.measures.map(({ label }) => label),
    rubric: experiment.rubric,
    run_sheet: scenario.run_sheet ?? [],
  }
}

/** The blueprint for participants, without the solutions and private parts. */
export function withoutFacilitatorParts(blueprint: Blueprint): Blueprint {
  const models = Object.entries(blueprint.models).map(([field, { preset, values }]) => {
    return [field, { preset, values: values.map((one) => ({ ...one, rubric: [] })) }]
  })
  const none = {
    artefacts: [],
    beats: [],
    decision_points: [],
    observer: [],
    debrief: [],
    measures: [],
    rubric: [],
    run_sheet: [],
  }
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
