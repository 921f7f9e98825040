import { isDeepStrictEqual } from 'node:util'
import type { Selectable } from 'kysely'
import type { Messages } from '../channel-templates/setup-queries.js'
import type { Database } from '../database/schema.js'
import type { SetupExperiment, Wording } from '../experiments/setup-queries.js'
import type { Profile } from '../users/setup-queries.js'

/** A row without what says whose and which it is. */
type RowOf<Table extends keyof Database> = Omit<
  Selectable<Database[Table]>,
  'organization_id' | '_id'
>
export type SetupRow = RowOf<'blueprint_setups'>
/** A user, with the part of the cast that it plays. */
export type CharacterRow = RowOf<'users'> & { setup_id: string; character_key: string }
export type TemplateRow = Omit<RowOf<'channel_templates'>, 'message_bytes' | 'sender_ids'>
export type ExperimentRow = Omit<SetupExperiment, 'organization_id' | '_id'>
export type Departments = Pick<RowOf<'brandings'>, 'departments' | 'updated_at'>

export interface Named {
  _id: string
  name: string | null
}
/** When a row was written, by which one sees whether it is still as it was written. */
export interface Stamp {
  updated_at: string
}
export type Creation<Row> = Named & { before: null; after: Row }
/** Of what there was before only what differs. */
export type Replacement<Written> = Named & { before: Partial<Written> & Stamp; after: Written }
export type Removal<Row> = Named & { before: Row; after: null }

/** A row that is made, is taken away, or of which something is written anew. */
export type Change<Row extends Written, Written> =
  | Creation<Row>
  | Replacement<Written>
  | Removal<Row>

export type CharacterChange = Change<CharacterRow, Profile>
export type TemplateChange = Change<TemplateRow, Messages>
export type ExperimentChange = Change<ExperimentRow, Wording>

/** What an application of a blueprint does, or what undoes it. */
export interface Changes {
  setup: Named & { before: SetupRow | null; after: SetupRow | null }
  characters: CharacterChange[]
  channel_templates: TemplateChange[]
  experiments: ExperimentChange[]
  /** At most one, of all departments together. */
  departments: (Named & { before: Departments; after: Departments })[]
}

/** What writing something of a row anew changes; what is the same stays as it was written. */
export function replacement<Written extends Stamp>(
  { _id, name }: Named,
  row: Written,
  after: Written,
): Replacement<Written> {
  const { updated_at } = row
  const different = Object.entries(row).filter(
    ([column, value]) =>
      column !== 'updated_at' &&
      column in after &&
      !isDeepStrictEqual(value, Reflect.get(after, column)),
  )
  const before = { ...(Object.fromEntries(different) as Partial<Written>), updated_at }
  return { _id, name, before, after: different.length > 0 ? after : { ...after, updated_at } }
}

/** Whether there is something to write: what is replaced by the same is left as it is. */
export const isReal = ({ before, after }: Pick<Change<Stamp, Stamp>, 'before' | 'after'>) =>
  before?.updated_at !== after?.updated_at
