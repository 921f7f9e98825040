import type { Schema } from '../../contract.js'

/** The copy of the scenario that a session keeps from its start. */
export interface FrozenScenario {
  label: string
  description: string | null
  lang: string | null
  catalogue_version: string | null
  situation: Schema<'Situation'> | null
  channels: { channel_name: string; purpose: string | null }[]
  participant_roles: Schema<'ParticipantRole'>[]
  artefacts: Schema<'Artefact'>[]
  beats: Schema<'Beat'>[]
  decision_points: Schema<'DecisionPoint'>[]
  observer: Schema<'ObserverNote'>[]
  debrief: string[]
  rubric: Schema<'RubricItem'>[]
  run_sheet: Schema<'RunSheetEntry'>[]
  measures: SessionMeasure[]
}

/** One number for each session, from the messages of participants in a beat, a channel or all channels. */
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
