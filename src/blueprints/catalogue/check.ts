import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Catalogue, CatalogueFile, ModelField, Scenario } from './entries.js'
import { slots, wordFaults } from './words.js'

const listed = (values: string) => values.trim().split(/\s+/)

/** Every value that clients are promised; a data file must have exactly these. */
export const modelValues: Record<ModelField, string[]> = {
  org_culture: listed('clan adhocracy market hierarchy'),
  pressure_model: listed('low_strain active high_strain passive isolated_high_strain'),
  team_topology: listed('stream_aligned platform enabling complicated_subsystem'),
  meeting_model: listed(`weekly_status daily_standup one_on_ones decision_forum training_session
    brainstorm town_hall crisis_room async_first`),
  evaluation_model: listed(`management_by_objectives behaviorally_anchored multi_source_360
    critical_incident forced_distribution kirkpatrick_four_levels`),
  relationship_model: listed('communal_sharing authority_ranking equality_matching market_pricing'),
  consequence_model: listed('restorative just_culture retributive progressive_discipline none'),
  knowledge_model: listed(`socialization externalization combination internalization
    transactive_memory siloed`),
}

const fields = Object.keys(modelValues) as ModelField[]

export function shapeFaults(files: CatalogueFile[], schema: unknown): string[] {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false })
  ajv.addSchema(schema as object)
  const check = (place: string, definition: string, data: unknown) => {
    if (ajv.validate(`catalogue#/$defs/${definition}`, data)) return []
    return (ajv.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${place}${instancePath}: ${message} ${Object.values(params).join(' ')}`,
    )
  }
  const missing = [...fields, 'people', 'colleagues'].filter(
    (kind) => !files.some((file) => file.kind === kind),
  )
  return [
    ...missing.map((kind) => `${kind}: there is no such file`),
    ...files.flatMap(({ place, kind, data, faults = [] }) => {
      if (faults.length > 0) return faults.map((fault) => `${place}: ${fault}`)
      if (!fields.some((field) => field === kind)) return check(place, kind, data)
      const shape = check(place, 'model', data)
      if (shape.length > 0) return shape
      const model = data as { neutral: unknown; values: { value: string; effects: unknown }[] }
      return [
        ...check(`${place}/neutral`, kind, model.neutral),
        ...model.values.flatMap((one) => check(`${place}/${one.value}`, kind, one.effects)),
      ]
    }),
  ]
}

/** What a schema cannot say: names that must exist elsewhere, placeholders, repeated words. */
export function faultsOf(catalogue: Catalogue, files: CatalogueFile[]): string[] {
  const terms = [...catalogue.scenarios.values()].map((scenario) => Object.keys(scenario.terms))
  const shared = (terms[0] ?? []).filter((term) => terms.every((other) => other.includes(term)))
  return [
    ...(catalogue.scenarios.has('generic') ? [] : ['scenarios: generic is missing']),
    ...fields.flatMap((field) => valueFaults(catalogue, field)),
    ...[...catalogue.scenarios.values()].flatMap((scenario) => scenarioFaults(catalogue, scenario)),
    ...files.flatMap(({ place, kind, data }) =>
      wordFaults(place, data, kind === 'scenario' ? Object.keys((data as Scenario).terms) : shared),
    ),
  ]
}

function valueFaults(catalogue: Catalogue, field: ModelField): string[] {
  const found = catalogue.models[field].values.map((entry) => entry.value)
  return [
    ...modelValues[field]
      .filter((value) => !found.includes(value))
      .map((value) => `lacks ${value}`),
    ...found
      .filter((value, i) => !modelValues[field].includes(value) || found.indexOf(value) !== i)
      .map((value) => `has ${value} unexpectedly or twice`),
  ].map((fault) => `models/${field}.yaml: ${fault}`)
}

function scenarioFaults(catalogue: Catalogue, scenario: Scenario): string[] {
  const place = `scenarios/${scenario.scenario_type}.yaml`
  const channels = scenario.channels.map((channel) => channel.key)
  const colleagues = catalogue.colleagues.map((colleague) => colleague.key)
  const cast = scenario.cast.map((role) => role.slot)
  const anchors = scenario.story.map((line) => line.anchor)
  const voices = Object.entries(scenario.voices ?? {})
  return [
    ...slots
      .filter((slot, i) => cast[i] !== slot)
      .map((slot) => `/cast: ${slot} is not in its place`),
    ...fields
      .filter((field) => !modelValues[field].includes(scenario.models[field]))
      .map((field) => `/models: ${scenario.models[field]} is no ${field}`),
    ...['home', 'questions', 'notices', 'wave', 'managers']
      .filter((key) => !channels.includes(key))
      .map((key) => `/channels: ${key} is missing`),
    ...(['error', 'slip', 'request'] as const)
      .filter((anchor) => !anchors.includes(anchor))
      .map((anchor) => `/story: no line has the anchor ${anchor}`),
    ...[...scenario.story, ...voices.map(([, voice]) => voice)]
      .filter((line) => ![...channels, 'area'].includes(line.channel))
      .map((line) => `/story: there is no channel ${line.channel}`),
    ...voices
      .filter(([key]) => !colleagues.includes(key))
      .map(([key]) => `/voices: there is no colleague ${key}`),
    ...beatFaults(scenario),
  ].map((fault) => `${place}${fault}`)
}

/** Beats that are named and not told. */
function beatFaults({ beats = [], decision_points = [], experiment }: Scenario): string[] {
  const told = beats.map(({ beat }) => beat)
  const named = [
    ...decision_points.map(({ beat }) => ['/decision_points', beat] as const),
    ...experiment.rubric.flatMap(({ evidence }) =>
      evidence === undefined ? [] : [['/experiment/rubric', evidence] as const],
    ),
  ]
  return named
    .filter(([, beat]) => !told.includes(beat))
    .map(([place, beat]) => `${place}: there is no beat ${beat}`)
}
