import type { Schema } from '../contract.js'

/** What a session keeps of its scenario from the start on. */
export interface FrozenScenario {
  label: string
  description: string | null
  catalogue_version: string | null
  channels: Schema<'BriefedChannel'>[]
  participant_roles: Schema<'ParticipantRole'>[]
  beats: Schema<'Beat'>[]
  decision_points: Schema<'DecisionPoint'>[]
  rubric: Schema<'RubricItem'>[]
  run_sheet: Schema<'RunSheetEntry'>[]
  measures: SessionMeasure[]
}

/** One number a session, of what participants wrote in a beat or a channel, or everywhere. */
export interface SessionMeasure {
  label: string
  statistic:
    | 'first_answer_minutes'
    | 'answered_share'
    | 'participants_answering'
    | 'message_count'
    | 'participation_balance'
    | 'threads_joined'
  beat: string | null
  channel_name: string | null
}
