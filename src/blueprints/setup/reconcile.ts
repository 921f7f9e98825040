import { createId } from '../../formats/identifiers.js'
import { type Change, replacement, type Stamp } from './changes.js'

/** One application of a blueprint: its settings and its record's key. */
export interface Setup {
  _id: string
  organization_id: string
  scenario_type: string
  overwrite_existing: boolean
  metadata: Record<string, unknown>
  applied_by: string
  applied_at: string
  /** Whether the scenario is set up for the first time, so that no row belongs to it yet. */
  isNew: boolean
  /** `update` when the rows that are read will be changed, left out for a preview. */
  lock?: 'update' | undefined
}

export interface ExistingRow<Row> {
  _id: string
  name: string
  setup_id: string | null
  /** Null when people made it: only its name matters then. */
  row: Row | null
  /** The reason why it must not be removed. */
  keepReason?: string | undefined
}

/**
 * Sorts the wanted and the existing rows by name into those to create, to replace, to remove and to
 * skip. Rows that people made by hand are always skipped.
 */
function reconcile<Wanted, Row>(
  setup: Setup,
  wanted: ReadonlyMap<string, Wanted>,
  existing: readonly ExistingRow<Row>[],
) {
  const isOurs = (item: ExistingRow<Row>) => item.setup_id === setup._id
  const taken = new Set(existing.map(({ name }) => name))
  const create = [...wanted].filter(([name]) => !taken.has(name))
  const wantedAndExisting = existing.filter(({ name }) => wanted.has(name))
  const unwanted = existing.filter((item) => isOurs(item) && !wanted.has(item.name))
  const replaceable = setup.overwrite_existing ? wantedAndExisting.filter(isOurs) : []
  const isReplaced = new Set(replaceable)
  const removable = setup.overwrite_existing ? unwanted : []
  const skip = [
    ...wantedAndExisting
      .filter((item) => !isReplaced.has(item))
      .map((item) => ({ item, reason: isOurs(item) ? 'exists' : 'made_by_hand' })),
    ...removable.flatMap((item) => (item.keepReason ? [{ item, reason: item.keepReason }] : [])),
  ]
  const replace = replaceable.flatMap((item) => {
    const by = wanted.get(item.name)
    return by === undefined ? [] : [{ item, by }]
  })
  return { create, replace, remove: removable.filter(({ keepReason }) => !keepReason), skip }
}

interface RowPlan<Wanted, Row, Written> {
  wanted: ReadonlyMap<string, Wanted>
  existing: readonly ExistingRow<Row>[]
  newRow: (wanted: Wanted) => Row
  /** The columns that are written on a row that exists. */
  newValues: (wanted: Wanted) => Written
  nameOf: (row: Row) => string | null
}

/** Plans the rows of one kind. Returns the changes, the skipped rows, and all rows as they will be. */
export function planRows<Wanted, Row extends Written, Written extends Stamp>(
  setup: Setup,
  { wanted, existing, newRow, newValues, nameOf }: RowPlan<Wanted, Row, Written>,
) {
  const { create, replace, remove, skip } = reconcile(setup, wanted, existing)
  const created = create.map(([, item]) => {
    const after = newRow(item)
    return { _id: createId(), name: nameOf(after), before: null, after }
  })
  const replaced = replace.flatMap(({ item: { _id, row }, by }) => {
    const after = newValues(by)
    const name = row && nameOf({ ...row, ...after })
    return row ? [replacement({ _id, name }, { from: row, to: after })] : []
  })
  const removed = remove.flatMap(({ _id, row: before }) =>
    before ? [{ _id, name: nameOf(before), before, after: null }] : [],
  )
  const removedIds = new Set(remove.map(({ _id }) => _id))
  const replacedById = new Map(replaced.map(({ _id, after }) => [_id, after]))
  const kept = existing.flatMap(({ _id, row }) =>
    row && !removedIds.has(_id) ? [{ ...row, ...replacedById.get(_id), _id }] : [],
  )
  const rowsAfter = [...kept, ...created.map(({ _id, after }) => ({ ...after, _id }))]
  const changes: Change<Row, Written>[] = [...removed, ...replaced, ...created]
  return { changes, skip, rowsAfter }
}
