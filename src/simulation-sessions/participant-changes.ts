import type { Schema } from '../contract.js'

/** Who comes, who goes and who gets another role, by their user ids. */
export interface ParticipantChange {
  added: string[]
  removed: string[]
  changed: string[]
}

/** How the places differ from those that are wanted. */
export function compareParticipants(
  present: { user_id: string; role_key: string | null }[],
  wanted: Schema<'SessionParticipant'>[],
): ParticipantChange {
  const before = new Map(present.map(({ user_id, role_key }) => [user_id, role_key]))
  const after = new Map(wanted.map(({ user_id, role_key }) => [user_id, role_key || null]))
  const ids = [...after.keys()]
  return {
    added: ids.filter((id) => !before.has(id)),
    removed: [...before.keys()].filter((id) => !after.has(id)),
    changed: ids.filter((id) => before.has(id) && before.get(id) !== after.get(id)),
  }
}

export const isChange = ({ added, removed, changed }: ParticipantChange) =>
  added.length + removed.length + changed.length > 0
