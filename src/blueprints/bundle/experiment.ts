import type { RubricItem } from '../catalogue/entries.js'
import type { Bundle } from './bundle.js'
import type { Member } from './cast.js'
import { fillPlaceholders, placeholderValues } from './placeholders.js'
import type { Script } from './script/script.js'

export function experimentOf(
  scenario_type: string,
  { catalogue_version, scenario, models, effects }: Script,
  cast: Member[],
): Bundle['experiment'] {
  const { name, hypothesis, measures, rubric } = scenario.experiment
  const words = placeholderValues(scenario, cast, effects.org_culture.address)
  const filled = (item: RubricItem) => ({
    ...item,
    question: fillPlaceholders(item.question, words) ?? item.question,
  })
  const { evaluation_model, pressure_model, consequence_model, knowledge_model } = effects
  return {
    name,
    hypothesis,
    metadata: {
      scenario_type,
      catalogue_version,
      models,
      intervention: scenario.intervention ?? null,
      measures: measures.map(({ label }) => label),
      rubric: [...evaluation_model.rubric.map(filled), ...rubric],
      rated_by: cast
        .filter(({ slot }) => evaluation_model.raters.some((rater) => rater === slot))
        .map(({ username }) => username),
      rated_when: evaluation_model.when,
      decided_by: effects.org_culture.decides,
      praised: effects.org_culture.praises,
      demand: pressure_model.demand,
      control: pressure_model.control,
      support_offered: pressure_model.support,
      team_interaction: effects.team_topology.interaction,
      meeting_purpose: effects.meeting_model.purpose,
      error_response: consequence_model.stance,
      facts_in: knowledge_model.facts_in,
      hand_overs: knowledge_model.hand_overs,
      teams: [...new Set(cast.map(({ team }) => team.name))],
    },
  }
}
