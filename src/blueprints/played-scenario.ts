import type { FrozenScenario, SessionMeasure } from '../database/tables/frozen-scenario.js'
import { blueprintOf } from './blueprints.js'
import { modelOf } from './bundle/script/script.js'
import type { Catalogue, Models, RubricItem, Scenario } from './catalogue/entries.js'
import { fillWith, modelValue } from './model-values.js'
import { scenarioLabel } from './names.js'

/** What a setup was made with. */
export interface SetupMade {
  models: Models
  catalogue_version: string
}

/**
 * A scenario as a session plays it, with its setup (null without one). A scenario that the catalogue
 * does not have was set up as the generic one. Without a setup only its name is known. A setup of
 * another version of the catalogue plays its own messages, so it lacks the parts that refer to them.
 */
export function playedScenario(
  catalogue: Catalogue,
  scenario_name: string,
  setup: SetupMade | null,
): FrozenScenario {
  const generic = setup ? catalogue.scenarios.get('generic') : undefined
  const scenario = catalogue.scenarios.get(scenario_name) ?? generic
  const label = scenarioLabel(catalogue, scenario_name)
  if (!scenario) return onlyNamed(label)
  const blueprint = blueprintOf(catalogue, scenario)
  const { description, lang, channels, participant_roles } = blueprint
  const { beats, decision_points, run_sheet } = blueprint
  const { catalogue_version, models } = setup ?? { ...blueprint, models: scenario.models }
  const isCurrent = catalogue_version === blueprint.catalogue_version
  const { situation, artefacts, observer, debrief } = isCurrent ? blueprint : onlyNamed(label)
  const rubric = [...modelRubric(catalogue, scenario, models), ...blueprint.rubric]
  const criteria = rubric.map(({ criterion }) => criterion)
  return {
    label,
    description,
    lang,
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
    lang: null,
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
