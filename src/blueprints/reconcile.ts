import { createId } from '../identifiers.js'
import { type Change, replacement, type Stamp } from './changes.js'

/** What decides how an application treats what there is. */
export interface Setup {
  _id: string
  organization_id: string
  scenario_type: string
  overwrite_existing: boolean
  metadata: Record<string, unknown>
  /** Who applies it, and when. */
  applied_by: string
  time: string
  /** Whether the scenario is set up for the first time: nothing is its yet. */
  isNew: boolean
  /** Whether what is found is going to be changed, and not only looked at. */
  toChange: boolean
}

interface Present<Row> {
  _id: string
  name: string
  setup_id: string | null
  /** Null of what people made: it is only met. */
  row: Row | null
  /** Why it may not be taken away. */
  stays?: string
}

/**
 * Sorts what a bundle wants and what is there, both by name, into what to make, to replace, to take
 * away and to leave alone. What people made by hand is never among the first three.
 */
function reconcile<Wanted, Row>(
  setup: Setup,
  wanted: ReadonlyMap<string, Wanted>,
  present: readonly Present<Row>[],
) {
  const isOurs = (item: Present<Row>) => item.setup_id === setup._id
  const taken = new Set(present.map(({ name }) => name))
  const create = [...wanted].filter(([name]) => !taken.has(name))
  const met = present.filter(({ name }) => wanted.has(name))
  const unwanted = present.filter((item) => isOurs(item) && !wanted.has(item.name))
  const replaceable = setup.overwrite_existing ? met.filter(isOurs) : []
  const isReplaced = new Set(replaceable)
  const removable = setup.overwrite_existing ? unwanted : []
  const leave = [
    ...met
      .filter((item) => !isReplaced.has(item))
      .map((item) => ({ item, reason: isOurs(item) ? 'exists' : 'made_by_hand' })),
    ...removable.flatMap((item) => (item.stays ? [{ item, reason: item.stays }] : [])),
  ]
  const replace = replaceable.flatMap((item) => {
    const by = wanted.get(item.name)
    return by === undefined ? [] : [{ item, by }]
  })
  return { create, replace, remove: removable.filter(({ stays }) => !stays), leave }
}

interface Writing<Wanted, Row, Written> {
  make: (wanted: Wanted) => Row
  /** What is written of a row that is there already. */
  rewrite: (wanted: Wanted) => Written
  nameOf: (row: Row) => string | null
}

/** What becomes of the rows of one kind, what is left alone, and what there is then. */
export function planRows<Wanted, Row extends Written, Written extends Stamp>(
  setup: Setup,
  wanted: ReadonlyMap<string, Wanted>,
  present: readonly Present<Row>[],
  { make, rewrite, nameOf }: Writing<Wanted, Row, Written>,
) {
  const { create, replace, remove, leave } = reconcile(setup, wanted, present)
  const created = create.map(([, item]) => {
    const after = make(item)
    return { _id: createId(), name: nameOf(after), before: null, after }
  })
  const replaced = replace.flatMap(({ item: { _id, row }, by }) => {
    const after = rewrite(by)
    return row ? [replacement({ _id, name: nameOf({ ...row, ...after }) }, row, after)] : []
  })
  const removed = remove.flatMap(({ _id, row: before }) =>
    before ? [{ _id, name: nameOf(before), before, after: null }] : [],
  )
  const gone = new Set(remove.map(({ _id }) => _id))
  const anew = new Map(replaced.map(({ _id, after }) => [_id, after]))
  const kept = present.flatMap(({ _id, row }) =>
    row && !gone.has(_id) ? [{ ...row, ...anew.get(_id), _id }] : [],
  )
  const made = [...kept, ...created.map(({ _id, after }) => ({ ...after, _id }))]
  const changes: Change<Row, Written>[] = [...removed, ...replaced, ...created]
  return { changes, leave, made }
}
