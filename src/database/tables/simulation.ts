import type { ColumnType, Generated } from 'kysely'
import type { Schema } from '../../contract.js'
import type { Json, Metadata, NullableJson, NullableTimestamp, Timestamp } from './columns.js'

export interface BlueprintSetupTable {
  organization_id: string
  _id: string
  scenario_type: string
  catalogue_version: string
  models: Json<Schema<'QuickSetupModels'>>
  team_size: number
  overwrite_existing: boolean
  metadata: Json<Metadata>
  applied_at: Timestamp
  applied_by: string
}

type SetupResult = Pick<
  Schema<'QuickSetupDetails'>,
  | 'created'
  | 'updated'
  | 'removed'
  | 'changes'
  | 'skipped'
  | 'character_ids'
  | 'channel_template_ids'
  | 'experiment_id'
  | 'warnings'
>

/** One application of a blueprint: its result, and what is needed to undo it. */
export interface QuickSetupTable extends BlueprintSetupTable {
  result: Json<SetupResult>
  /** Empty once it is rolled back. */
  changes: Json<unknown>
  /** The size of `result` and `changes` as text. Computed by the database. */
  kept_bytes: ColumnType<number, never, never>
  rolled_back_at: NullableTimestamp
  rolled_back_by: string | null
}

/** A user that a setup made, with their key in its cast. */
export interface CharacterTable {
  organization_id: string
  user_id: string
  setup_id: string
  character_key: string
}

export interface ChannelTemplateTable {
  organization_id: string
  _id: string
  /** The setup that made it; null if a user made it. */
  setup_id: string | null
  scenario_name: Generated<string>
  channel_name: string
  message_templates: Json<Schema<'MessageTemplate'>[]>
  /** The size of the messages as text. Computed by the database. */
  message_bytes: ColumnType<number, never, never>
  /** The senders of all messages and replies, as keys. Computed by the database. */
  sender_ids: ColumnType<Record<string, null>, never, never>
  /** The messages that ask or depend on an answer, without their texts. Computed by the database. */
  branches: ColumnType<Schema<'MessageTemplate'>[], never, never>
  is_active: Generated<boolean>
  apply_to_existing_users: Generated<boolean>
  created_at: Timestamp
  updated_at: Timestamp
}

/** The results of an experiment, frozen with the data from which they were computed. */
export interface FrozenConclusion {
  results: FrozenResults
  data: ExperimentData
}

/** Results that were frozen by an earlier version lack these fields. */
type FrozenResults = Omit<Schema<'ExperimentResults'>, Added> &
  Partial<Pick<Schema<'ExperimentResults'>, Added>>
type Added = 'known_outcomes' | 'frozen_at' | 'frozen_by'

/** A value for each session and outcome, in the order of `sessions`; null if there is none. */
export interface ExperimentData {
  sessions: { session_id: string; arm: 'control' | 'intervention'; block: string | null }[]
  outcomes: (Pick<Schema<'OutcomeResult'>, 'outcome' | 'label' | 'role' | 'direction'> & {
    unit: string
    definition: string
    source: string
    values: (number | null)[]
  })[]
}

export interface ExperimentTable {
  organization_id: string
  _id: string
  /** The setup that made it; null if a user made it. */
  setup_id: string | null
  name: string | null
  hypothesis: string | null
  status: Generated<string>
  /** Whether it has ever run, independent of its status now. */
  has_run: Generated<boolean>
  control_session_ids: Generated<string[]>
  intervention_session_ids: Generated<string[]>
  /** How the sessions were assigned to the arms; null if by hand. */
  assignment: NullableJson<Schema<'Assignment'>>
  assignment_ids: Generated<string[]>
  start_at: NullableTimestamp
  end_at: NullableTimestamp
  metadata: Json<Metadata>
  analysis_plan: NullableJson<Schema<'AnalysisPlan'>>
  conclusion: NullableJson<FrozenConclusion>
  created_by: string | null
  created_at: Timestamp
  updated_at: Timestamp
}
