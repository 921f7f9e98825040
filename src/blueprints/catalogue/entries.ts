import type { components } from './schema-types.js'

type Entries = components['schemas']

export type Arm = Entries['Arm']
export type CastRole = Entries['CastRole']
export type Condition = Entries['Condition']
export type DecisionPoint = Entries['DecisionPoint']
export type Effects = Entries['Effects']
export type Line = Entries['Line']
export type ModelField = Entries['ModelField']
export type Models = Entries['Models']
export type People = Entries['People']
export type Reply = Entries['Reply']
export type Role = Entries['Role']
export type RubricItem = Entries['RubricItem']
export type Scenario = Entries['Scenario']
export type Seniority = Entries['Seniority']
export type Slot = Entries['Slot']
export type When = Entries['When']
export type Words = Entries['Words']
export type Model<Field extends ModelField = ModelField> = Entries['Model'] & {
  effects: Effects[Field]
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
] as const satisfies ModelField[]

export const slots = [
  'lead',
  'owner',
  'partner',
  'newcomer',
  'analyst',
  'coordinator',
] as const satisfies Slot[]

/** From the lowest rank to the highest. */
export const seniorities = [
  'junior',
  'mid-level',
  'senior',
  'executive',
] as const satisfies Seniority[]

/** The line ids that every scenario may have. The lines of models can come after them. */
export const anchors = [
  'start',
  'error',
  'cause_found',
  'slip',
  'request',
  'decision_1',
  'decision_2',
  'decision_3',
  'closing',
]

export type Catalogue = {
  version: string
  models: { [Field in ModelField]: Model<Field>[] }
  /** The effects of a value that no file describes. */
  neutral: Effects
  scenarios: Map<string, Scenario>
  people: People
  colleagues: Role[]
}

export const listOf = <T>(one: T | T[]): T[] => (Array.isArray(one) ? one : [one])

/** The ids of lines and of their replies. Other lines can come after them. */
export const idsOf = (lines: Pick<Line, 'id' | 'replies'>[]): string[] =>
  lines.flatMap(({ id, replies = [] }) => [id, ...replies.flatMap((reply) => reply.id ?? [])])
