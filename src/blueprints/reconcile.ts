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

interface Present {
  _id: string
  name: string
  setup_id: string | null
  /** Why it may not be taken away. */
  stays?: string
}

/**
 * Sorts what a bundle wants and what is there, both by name, into what to make, to replace, to take
 * away and to leave alone. What people made by hand is never among the first three.
 */
export function reconcile<Wanted, Found extends Present>(
  setup: Setup,
  wanted: ReadonlyMap<string, Wanted>,
  present: readonly Found[],
) {
  const isOurs = (item: Present) => item.setup_id === setup._id
  const taken = new Set(present.map(({ name }) => name))
  const create = [...wanted].filter(([name]) => !taken.has(name))
  const met = present.filter(({ name }) => wanted.has(name))
  const unwanted = present.filter((item) => isOurs(item) && !wanted.has(item.name))
  const replaceable = setup.overwrite_existing ? met.filter(isOurs) : []
  const removable = setup.overwrite_existing ? unwanted : []
  const leave = [
    ...met
      .filter((item) => !replaceable.includes(item))
      .map((item) => ({ item, reason: isOurs(item) ? 'exists' : 'made_by_hand' })),
    ...removable.flatMap((item) => (item.stays ? [{ item, reason: item.stays }] : [])),
  ]
  const replace = replaceable.flatMap((item) => {
    const by = wanted.get(item.name)
    return by === undefined ? [] : [{ item, by }]
  })
  return { create, replace, remove: removable.filter(({ stays }) => !stays), leave }
}
