import type { Schema } from '../../contract.js'

export type Slot = 'lead' | 'owner' | 'partner' | 'newcomer' | 'analyst' | 'coordinator'
export type Seniority = 'junior' | 'mid-level' | 'senior' | 'executive'

export type Reply = { from: Slot; after: number; text: string }

/** One prepared message. `at` counts working hours from the start of the session. */
export type Line = {
  from: Slot
  channel: string
  at: number
  kind: string
  text: string
  beat?: string
  anchor?: 'error' | 'slip' | 'request'
  needs?: Slot[]
  unless?: Slot[]
  replies?: Reply[]
}

export type Voice = { channel: string; at: number; text: string; needs?: Slot[]; reply?: Reply }

export type FollowUp = {
  anchor: 'error' | 'slip'
  after_hours: number
  from: Slot
  channel: string
  text: string
  replies?: Reply[]
}

/** What is rated. `evidence` is the beat in which it can be seen. */
export type RubricItem = Schema<'RubricItem'>

export type CastRole = {
  slot?: Slot
  key: string
  title: string
  department: string
  seniority: Seniority
  style: string
  hours: string
  expertise: string[]
  dream: string
  bio: string
}

export type Effects = {
  org_culture: {
    address: 'first_name' | 'handle' | 'full_name'
    decides: string
    praises: string
    lines: Line[]
  }
  pressure_model: {
    demand: string
    control: string
    support: boolean
    pace: number
    reply_delay: number
    replies_per_message: number
    lines: Line[]
  }
  team_topology: {
    interaction: string
    teams: { key: string; name: string; members: Slot[] }[]
    colleague_team: string
    lines: Line[]
  }
  meeting_model: { channel: string; purpose: string; every_working_hours: number; lines: Line[] }
  evaluation_model: { raters: Slot[]; when: string; rubric: RubricItem[]; lines: Line[] }
  relationship_model: {
    edges: { from: Slot; to: Slot; kind: string }[]
    colleague_edge: string
    manners: { from: Slot; text: string }[]
    lines: Line[]
  }
  consequence_model: { stance: string; follow_ups: FollowUp[] }
  knowledge_model: { facts_in: string; hand_overs: number; lines: Line[] }
}

export type ModelEntry<E> = {
  value: string
  label: string
  description: string
  effects: E
  source: { title: string; url?: string }
}

export type ModelFile<E> = { field: string; neutral: E; values: ModelEntry<E>[] }

export type Scenario = {
  scenario_type: string
  label: string
  description: string
  models: Record<keyof Effects, string>
  terms: Record<string, string>
  cast: (CastRole & { slot: Slot })[]
  channels: { key: string; channel_name: string; purpose: string }[]
  story: Line[]
  experiment: { name: string; hypothesis: string; measures: string[]; rubric: RubricItem[] }
  voices?: Record<string, Voice>
  participant_roles?: ParticipantRole[]
  beats?: Schema<'Beat'>[]
  decision_points?: Schema<'DecisionPoint'>[]
  intervention?: string
  run_sheet?: Schema<'RunSheetEntry'>[]
}

/** A part that people take: no character holds it. */
export type ParticipantRole = {
  title: string
  brief: string
  private_information: string
  goal: string
}

export type People = {
  given_names: string[]
  family_names: string[]
  universities: string[]
  issuers: string[]
  hobbies: string[]
  goals: Record<Seniority, string[]>
  graduation_years: Record<Seniority, [number, number]>
  degrees: Record<Seniority, string>
  studies: Record<string, { fields: string[]; certificates: string[] }>
}

export const modelFields = [
  'org_culture',
  'pressure_model',
  'team_topology',
  'meeting_model',
  'evaluation_model',
  'relationship_model',
  'consequence_model',
  'knowledge_model',
] as const
export type ModelField = (typeof modelFields)[number]
export type Models = Record<ModelField, string>

export type Catalogue = {
  models: { [Field in ModelField]: ModelFile<Effects[Field]> }
  scenarios: Map<string, Scenario>
  people: People
  colleagues: (CastRole & { says: Voice })[]
}

/** One parsed file: `place` is its path inside the catalogue's folder. */
export type CatalogueFile = { place: string; kind: string; data: unknown; faults?: string[] }
