import type { Generated } from 'kysely'
import type { Schema } from '../contract.js'
import type { Json, Metadata, NullableJson, NullableTimestamp, Timestamp } from './columns.js'
import type { FrozenScenario } from './frozen-scenario.js'

export interface SimulationSessionTable {
  organization_id: string
  _id: string
  name: string
  scenario_name: string
  timing: Schema<'SessionTiming'>
  /** Seconds of the session's clock in a second. */
  speed: number
  mode: Schema<'SessionMode'>
  status: Schema<'SessionStatus'>
  starts_at: NullableTimestamp
  ends_after_minutes: number | null
  rater_ids: Generated<string[]>
  metadata: Json<Metadata>
  started_at: NullableTimestamp
  /** The experiment and the arm that it runs in, as they were at the start. */
  experiment_id: string | null
  arm: 'control' | 'intervention' | null
  scenario: NullableJson<FrozenScenario>
  /** The bots who speak in it. */
  cast_ids: Generated<string[]>
  conversations: Json<Schema<'SessionConversation'>[]>
  warnings: Json<Schema<'Warning'>[]>
  /** How long its plan is. */
  planned: Generated<number>
  /** Where on its clock it ends; null for never. */
  end_offset_ms: number | null
  /** When its clock stood at zero, or would have without pauses. */
  anchor_at: NullableTimestamp
  paused_at: NullableTimestamp
  ended_at: NullableTimestamp
  /** When it is to be started, to post or to end; null when nothing is due. */
  next_due_at: NullableTimestamp
  /** The same on its clock. */
  next_offset_ms: number | null
  /** The first of the plan that is not dealt with. */
  next_position: Generated<number>
  withheld: Generated<number>
  /** How many messages there are. */
  last_seq: Generated<number>
  deviations: Json<Schema<'SessionDeviation'>[]>
  /** How often in a row it could not be started or go on. */
  failures: Generated<number>
  /** Why it is not tried any more. */
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
  /** Of a reply, where its message is in the plan. */
  parent_position: number | null
  /** Of a fallback, the line that participants may have answered. */
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
  /** The first message of the thread; null for that itself. */
  thread_id: string | null
  plan_position: number | null
  sender_id: string
  sender_kind: Schema<'SenderKind'>
  /** Who posted it; null where the service did. */
  author_id: string | null
  client_message_id: string | null
  injected: Generated<boolean>
  content: string
  kind: string | null
  beat: string | null
  expectation: NullableJson<Schema<'Expectation'>>
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
  /** When they were taken out of the session, after its start. */
  removed_at: NullableTimestamp
  last_spoke_at: NullableTimestamp
  created_at: Timestamp
}

export interface SessionRatingTable {
  organization_id: string
  session_id: string
  rater_id: string
  /** Of the rater, in all sessions of the organization. */
  pseudonym: string
  /** The assignment of whom it is about, or `team`. */
  subject: string
  criterion: string
  value: Json<number | boolean | string>
  comment: string | null
  rated_at: Timestamp
}
