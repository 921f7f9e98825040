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
  /** When the engine must start it, post in it or end it; null if nothing is due. */
  next_due_at: NullableTimestamp
  /** `next_due_at` on its clock. */
  next_offset_ms: number | null
  /** The position of the first plan line that is not processed. */
  next_position: Generated<number>
  withheld: Generated<number>
  /** How many messages the session has. */
  last_seq: Generated<number>
  /** How many changes of the team there were. */
  team_seq: Generated<number>
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
  /** The messages with an expectation that it is the first to answer. */
  answers: Generated<string[]>
  offset_ms: number
  posted_at: Timestamp
}

export interface SessionAssignmentTable {
  organization_id: string
  _id: string
  session_id: string
  user_id: string
  role_key: string | null
  pseudonym: string
  joined_at: NullableTimestamp
  left_at: NullableTimestamp
  /** When the participant was taken out, after the start of the session. */
  removed_at: NullableTimestamp
  last_spoke_at: NullableTimestamp
  /** The last change of the team that changed this place. */
  team_seq: Generated<number>
  created_at: Timestamp
}

export interface SessionRatingTable {
  organization_id: string
  session_id: string
  rater_id: string
  /** The rater's pseudonym in all sessions of the organization. */
  pseudonym: string
  /** The assignment of the rated participant, or `team`. */
  subject: string
  criterion: string
  value: Json<number | boolean | string>
  comment: string | null
  rated_at: Timestamp
}
