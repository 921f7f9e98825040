import type { FrozenScenario, SessionMeasure } from '../database/tables/frozen-scenario.js'
import { blueprintOf } from './blueprints.js'
import { modelOf } from './bundle/script/script.js'
import type { Catalogue, Models, RubricItem, Scenario } from './catalogue/entries.js'
import { fillWith, modelValue } from './model-values.js'

/**
 * A scenario as a session plays it, with the models of its setup (null without a setup). A scenario
 * that the catalogue does not have was set up as the generic one. Without a setup only its name is
 * known.
 */
export function playedScenario(
  catalogue: Catalogue,
  scenario_name: string,
  models: Models | null,
): FrozenScenario {
  const generic = models ? catalogue.scenarios.get('generic') : undefined
  const scenario = catalogue.scenarios.get(scenario_name) ?? generic
  if (!scenario) return onlyNamed(scenario_name)
  const blueprint = blueprintOf(catalogue, scenario)
  const { label, description, catalogue_version, channels, participant_roles } = blueprint
  const { situation, artefacts, beats, decision_points, observer, debrief, run_sheet } = blueprint
  const rubric = [
    ...modelRubric(catalogue, scenario, models ?? scenario.models),
    ...blueprint.rubric,
  ]
  const criteria = rubric.map(({ criterion }) => criterion)
  return {
    label,
    description,
    catalogue_version,
    situation,
    channels,
    participant_roles,
    artefacts,
    beats,
    decision_points,
    observer,
    debrief,
    // A rating names its criterion, so each criterion appears once.
    rubric: rubric.filter(({ criterion }, i) => criteria.indexOf(criterion) === i),
    run_sheet,
    measures: measuresOf(scenario),
  }
}

function onlyNamed(label: string): FrozenScenario {
  return {
    label,
    description: null,
    catalogue_version: null,
    situation: null,
    channels: [],
    participant_roles: [],
    artefacts: [],
    beats: [],
    decision_points: [],
    observer: [],
    debrief: [],
    rubric: [],
    run_sheet: [],
    measures: [],
  }
}

/** The rubric items that the evaluation model adds, in the scenario's own terms. */
function modelRubric(catalogue: Catalogue, scenario: Scenario, models: Models): RubricItem[] {
  const model = modelOf(catalogue, 'evaluation_model', models.evaluation_model)
  return model
    ? modelValue(model, fillWith(scenario)).rubric
    : catalogue.neutral.evaluation_model.rubric
}

/** The scenario's own measures, each with the name of its channel. */
function measuresOf({ channels, experiment }: Scenario): SessionMeasure[] {
  const names = new Map(channels.map(({ key, channel_name }) => [key, channel_name]))
  return experiment.measures.map(({ label, statistic, beat = null, channel }) => {
    const channel_name = channel ? (names.get(channel) ?? channel) : null
    return { label, statistic, beat, channel_name }
  })
}
