import type { Generated } from 'kysely'
import type { Schema } from '../../contract.js'
import type { Json, Metadata, NullableJson, NullableTimestamp, Timestamp } from './columns.js'
import type { FrozenScenario } from './frozen-scenario.js'

export interface SimulationSessionTable {
  organization_id: string
  _id: string
  name: string
  scenario_name: string
  timing: Schema<'SessionTiming'>
  /** How many seconds the session's clock advances in a second. */
  speed: number
  mode: Schema<'SessionMode'>
  status: Schema<'SessionStatus'>
  starts_at: NullableTimestamp
  ends_after_minutes: number | null
  rater_ids: Generated<string[]>
  metadata: Json<Metadata>
  started_at: NullableTimestamp
  /** The experiment and the arm of the session, as they were at the start. */
  experiment_id: string | null
  arm: 'control' | 'intervention' | null
  scenario: NullableJson<FrozenScenario>
  /** The bots of the cast. */
  cast_ids: Generated<string[]>
  conversations: Json<Schema<'SessionConversation'>[]>
  warnings: Json<Schema<'Warning'>[]>
  /** How many lines the plan has. */
  planned: Generated<number>
  /** When it ends, on its clock; null for never. */
  end_offset_ms: number | null
  /** When the clock stood at zero, moved forward by the pauses. */
  anchor_at: NullableTimestamp
  paused_at: NullableTimestamp
  ended_at: NullableTimestamp
  /** The time of its last change. Its clock never shows an earlier time. */
  latest_at: NullableTimestamp
  /** When the engine must start it, post in it or end it; null if nothing is due. */
  next_due_at: NullableTimestamp
  /** `next_due_at` on its clock. */
  next_offset_ms: number | null
  /** The position of the first plan line that is not processed. */
  next_position: Generated<number>
  /** How many lines of the plan it has posted. */
  posted: Generated<number>
  withheld: Generated<number>
  /** How many messages the session has. */
  last_seq: Generated<number>
  /** The decisions that were open when the session ended. */
  lapsed_beats: Generated<string[]>
  /** How many bytes its plan counts; 0 once it has ended. */
  plan_bytes: Generated<number>
  /** How many bytes its messages, private words, notes and ratings count, and what its start has frozen. */
  stored_bytes: Generated<number>
  /** How many changes of the team there were. */
  team_seq: Generated<number>
  /** How many private words with the trainers there were. */
  trainer_seq: Generated<number>
  deviations: Json<Schema<'SessionDeviation'>[]>
  /** How often in a row the engine has failed to start or continue it. */
  failures: Generated<number>
  /** Why the engine has stopped trying. */
  failure: NullableJson<Schema<'SessionFailure'>>
  created_by: string | null
  created_at: Timestamp
  updated_at: Timestamp
}

export interface SessionPlanTable {
  organization_id: string
  session_id: string
  position: number
  offset_ms: number
  /** For a reply, the position of the message that it replies to. */
  parent_position: number | null
  /** For a fallback, the position of the line that participants may have answered. */
  unless_answered: number | null
  conversation_id: string
  channel_id: string
  sender_id: string
  content: string
  kind: string | null
  beat: string | null
  expectation: NullableJson<Schema<'Expectation'>>
  /** The document that it shows. */
  artefact: NullableJson<Schema<'Artefact'>>
  /** The decisions on which it depends; null if there are none. */
  conditions: NullableJson<Conditions>
  /** For a line that asks for a decision, the option that it takes at its deadline. */
  fallback_option: string | null
  /** The decision that it acknowledges: it is posted when people make that decision. */
  acknowledges: string | null
  /** The decision that lapses with it: it is posted only if people have not decided. */
  lapses: string | null
}

/** `only_if`: all of these decisions must have ended so. `unless`: none of them. */
export interface Conditions {
  only_if: Schema<'DecisionCondition'>[]
  unless: Schema<'DecisionCondition'>[]
}

export interface SessionDecisionTable {
  organization_id: string
  session_id: string
  /** The key of the decision. */
  beat: string
  /** The message that asks. */
  message_id: string
  conversation_id: string
  question: string
  options: Json<Schema<'DecisionOption'>[]>
  /** The roles that may decide; empty for all participants. */
  decided_by: string[]
  fallback_option: string
  asked_at: Timestamp
  asked_offset_ms: number
  deadline_offset_ms: number
  status: Generated<Schema<'DecisionStatus'>>
  option: string | null
  /** The user who decided; null if people did not. */
  made_by: string | null
  /** Whether a trainer recorded it for the participants. */
  on_behalf: Generated<boolean>
  reason: string | null
  ended_at: NullableTimestamp
  ended_offset_ms: number | null
  /** The message that says how it ended; null if the end of the session ended it. */
  ended_seq: number | null
}

export interface SessionMessageTable {
  organization_id: string
  session_id: string
  seq: number
  _id: string
  conversation_id: string
  channel_id: string
  /** The first message of the thread; null in the first message itself. */
  thread_id: string | null
  plan_position: number | null
  sender_id: string
  sender_kind: Schema<'SenderKind'>
  /** The user who posted it; null if the service did. */
  author_id: string | null
  client_message_id: string | null
  injected: Generated<boolean>
  content: string
  kind: string | null
  beat: string | null
  expectation: NullableJson<Schema<'Expectation'>>
  /** The document that it shows. */
  artefact: NullableJson<Schema<'Artefact'>>
  /** The decision that it ends. */
  decides: NullableJson<Schema<'DecisionMade'>>
  /** The messages with an expectation that it is the first to answer. */
  answers: Generated<string[]>
  offset_ms: number
  posted_at: Timestamp
}
