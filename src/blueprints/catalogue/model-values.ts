import type { ModelField } from './load.js'

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
