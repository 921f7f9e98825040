import type { Schema } from '../contract.js'

/** The part of a setup record that decides what an application may touch. */
export interface Setup {
  _id: string
  organization_id: string
  scenario_type: string
  overwrite_existing: boolean
}

/** How many things of a kind were made, replaced and taken away, and what was left alone. */
export interface Outcome {
  created: number
  updated: number
  removed: number
  skipped: Schema<'QuickSetupSkipped'>[]
}

interface Present {
  _id: string
  name: string
  setup_id: string | null
}

/**
 * Sorts what a bundle wants and what is there, both by name, into what to make, to replace, to take
 * away and to leave alone. What people made by hand is never among the first three.
 */
export function reconcile<Wanted>(
  setup: Setup,
  wanted: ReadonlyMap<string, Wanted>,
  present: readonly Present[],
) {
  const isOurs = (item: Present) => item.setup_id === setup._id
  const ids = new Map(present.filter(isOurs).map(({ name, _id }) => [name, _id]))
  const taken = new Set(present.map(({ name }) => name))
  const create = [...wanted].filter(([name]) => !taken.has(name))
  const met = present.filter(({ name }) => wanted.has(name))
  const replace = setup.overwrite_existing
    ? [...wanted].flatMap(([name, item]) => {
        const _id = ids.get(name)
        return _id ? [{ _id, item }] : []
      })
    : []
  const remove = setup.overwrite_existing
    ? present.filter((item) => isOurs(item) && !wanted.has(item.name)).map(({ _id }) => _id)
    : []
  const leave = met
    .filter((item) => !isOurs(item) || !setup.overwrite_existing)
    .map((item) => ({ name: item.name, reason: isOurs(item) ? 'exists' : 'made_by_hand' }))
  return { create, replace, remove, leave, ids }
}
