import type { Messages } from '../../../channel-templates/rows/setup-queries.js'
import type { Schema } from '../../../contract.js'
import type { Wording } from '../../../experiments/setup-queries.js'
import type { Profile } from '../../../users/setup-queries.js'
import {
  type Change,
  type Changes,
  type CharacterRow,
  type Departments,
  type ExperimentRow,
  hasEffect,
  type Named,
  replacement,
  type SetupRow,
  type Stamp,
  type TemplateRow,
} from '../changes.js'

/** A change as it is recorded: the old values, and of the new ones only when they were written. */
export type RecordedChange<Row extends Written, Written> = Named &
  (
    | { before: null; after: Stamp }
    | { before: Partial<Written> & Stamp; after: Stamp }
    | { before: Row; after: null }
  )

export interface RecordedChanges {
  setup: { _id: string; before: SetupRow | null }
  characters: RecordedChange<CharacterRow, Profile>[]
  channel_templates: RecordedChange<TemplateRow, Messages>[]
  experiments: RecordedChange<ExperimentRow, Wording>[]
  departments: Changes['departments']
}

/** The part of changes that is stored, so that they can be undone. */
export function recordedChanges(changes: Changes): RecordedChanges {
  const { setup, departments } = changes
  return {
    setup: { _id: setup._id, before: setup.before },
    characters: changes.characters.filter(hasEffect).map(stamped),
    channel_templates: changes.channel_templates.filter(hasEffect).map(stamped),
    experiments: changes.experiments.filter(hasEffect).map(stamped),
    departments,
  }
}

function stamped<Row extends Written, Written extends Stamp>(
  change: Change<Row, Written>,
): RecordedChange<Row, Written> {
  if (change.after === null) return change
  const { _id, name } = change
  const after = { updated_at: change.after.updated_at }
  if (change.before === null) return { _id, name, before: null, after }
  return { _id, name, before: change.before, after }
}

interface ExistingRows<Row> {
  kind: string
  /** The rows as they are now, by `_id`. */
  rows: ReadonlyMap<string, Row>
  /** The reasons why a row can be neither restored nor removed. `isNew`: the application created it. */
  reasonsOf: (row: { _id: string; isEdited: boolean; isNew: boolean }) => string[]
  /** The ids of rows whose old name another row has now. */
  taken: ReadonlySet<string>
}

/** The changes that undo recorded ones, and the reasons against it. A row deleted since stays so. */
export function undo<Row extends Written, Written extends Stamp>(
  recorded: RecordedChange<Row, Written>[],
  { kind, rows, reasonsOf, taken }: ExistingRows<Row>,
) {
  const changes: Change<Row, Written>[] = []
  const uses: Schema<'SetupUse'>[] = []
  for (const { _id, name, before, after } of recorded) {
    const row = rows.get(_id)
    const isEdited = row?.updated_at !== after?.updated_at
    const reasons = [
      ...(after && row ? reasonsOf({ _id, isEdited, isNew: before === null }) : []),
      ...(after && before && !row ? ['deleted'] : []),
      ...(taken.has(_id) ? ['name_taken'] : []),
    ]
    uses.push(...reasons.map((reason) => ({ kind, name, reason })))
    if (after === null) changes.push({ _id, name, before: null, after: before })
    else if (row && before === null) changes.push({ _id, name, before: row, after: null })
    else if (row && before) {
      changes.push(replacement<Written>({ _id, name }, { from: row, to: { ...row, ...before } }))
    }
  }
  return { changes, uses }
}

/** Restores the old departments. When the branding was edited since, only removes the added ones. */
export function undoDepartments(
  recorded: Changes['departments'],
  { departments, updated_at }: Departments,
  time: string,
): Changes['departments'] {
  return recorded.flatMap(({ before, after, ...named }) => {
    const now = { departments, updated_at }
    if (updated_at === after.updated_at) return { ...named, before: now, after: before }
    const added = after.departments.filter((name) => !before.departments.includes(name))
    const left = departments.filter((name) => !added.includes(name))
    if (left.length === departments.length) return []
    return { ...named, before: now, after: { departments: left, updated_at: time } }
  })
}
