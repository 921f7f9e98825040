/*
 * How a quick setup changes an organization, and how it is undone:
 *
 *   request   SetupRequest           scenario, models, team size (setup-plan.ts)
 *      │ compose
 *   bundle    Bundle                 the cast, channels, experiment and departments that are wanted
 *      │ plan: compare with the rows that exist (reconcile.ts), write nothing
 *   plan      SetupPlan              the changes, and what is skipped and why
 *      │
 *   changes   Changes                per row: before → after (this file)
 *      ├─ write (write-changes.ts)   writes the rows
 *      ├─ items (outcome.ts)         counts, answer and audit events
 *      └─ record (undo.ts)           RecordedChanges: each `before`, and only the time of each `after`
 *             │ undo: compare the record with the rows that exist now
 *          changes                   the same type, `before` and `after` swapped: carried out as above
 *
 * A change has one of three forms:
 *
 *              before               after
 *   created    null                 the whole row
 *   replaced   the old values       the new values       of the columns that a setup writes
 *   removed    the whole row        null
 *
 * A rollback is refused when a row has another `updated_at` than the setup wrote, or is in use.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Selectable } from 'kysely'
import type { Messages } from '../../channel-templates/rows/setup-queries.js'
import type { Database } from '../../database/schema.js'
import type { SetupExperiment, Wording } from '../../experiments/setup-queries.js'
import type { Profile } from '../../users/setup-queries.js'

/** A row without its key. */
type RowOf<Table extends keyof Database> = Omit<
  Selectable<Database[Table]>,
  'organization_id' | '_id'
>
export type SetupRow = RowOf<'blueprint_setups'>
/** A user, with the role in the cast that it plays. */
export type CharacterRow = RowOf<'users'> & { setup_id: string; character_key: string }
type Computed = 'message_bytes' | 'sender_ids' | 'branches'
export type TemplateRow = Omit<RowOf<'channel_templates'>, Computed>
export type ExperimentRow = Omit<SetupExperiment, 'organization_id' | '_id'>
export type Departments = Pick<RowOf<'brandings'>, 'departments' | 'updated_at'>

export interface Named {
  _id: string
  name: string | null
}
/** When a row was last written. Another time than the recorded one means that people edited it. */
export interface Stamp {
  updated_at: string
}
export type Creation<Row> = Named & { before: null; after: Row }
/** `before` has only the columns that differ. */
export type Replacement<Written> = Named & { before: Partial<Written> & Stamp; after: Written }
export type Removal<Row> = Named & { before: Row; after: null }

/** One changed row. `Written` are the columns that a setup writes again on a row that exists. */
export type Change<Row extends Written, Written> =
  | Creation<Row>
  | Replacement<Written>
  | Removal<Row>

export type CharacterChange = Change<CharacterRow, Profile>
export type TemplateChange = Change<TemplateRow, Messages>
export type ExperimentChange = Change<ExperimentRow, Wording>

/** Everything that an application of a blueprint, or its rollback, writes. */
export interface Changes {
  setup: Named & { before: SetupRow | null; after: SetupRow | null }
  characters: CharacterChange[]
  channel_templates: TemplateChange[]
  experiments: ExperimentChange[]
  /** Empty or one entry: all departments change together. */
  departments: (Named & { before: Departments; after: Departments })[]
}

/** The change from a row to new values. When nothing differs, `updated_at` stays the old one. */
export function replacement<Written extends Stamp>(
  { _id, name }: Named,
  { from, to }: { from: Written; to: Written },
): Replacement<Written> {
  const { updated_at } = from
  const different = Object.entries(from).filter(
    ([column, value]) =>
      column !== 'updated_at' && column in to && !isDeepStrictEqual(value, Reflect.get(to, column)),
  )
  const before = { ...(Object.fromEntries(different) as Partial<Written>), updated_at }
  return { _id, name, before, after: different.length > 0 ? to : { ...to, updated_at } }
}

/** Whether a change writes anything. A row replaced by equal values is not written. */
export const hasEffect = ({ before, after }: Pick<Change<Stamp, Stamp>, 'before' | 'after'>) =>
  before?.updated_at !== after?.updated_at
