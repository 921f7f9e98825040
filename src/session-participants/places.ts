import type { Schema } from '../contract.js'
import type { FrozenScenario } from '../database/frozen-scenario.js'
import type { Participant } from '../simulation-sessions/participant-queries.js'

type Roles = Pick<FrozenScenario, 'participant_roles'>

export const roleOf = ({ participant_roles }: Roles, role_key: string | null) =>
  participant_roles.find((role) => role.role_key === role_key) ?? null

/** A place as its holder and those who lead see it. */
export function placeOf(scenario: Roles, place: Participant): Schema<'ParticipantAssignment'> {
  const { _id, session_id, user_id, full_name, role_key, joined_at, left_at, created_at } = place
  const role_title = roleOf(scenario, role_key)?.title ?? null
  const open = { _id, session_id, user_id, full_name, role_key, role_title }
  return { ...open, joined_at, left_at, created_at }
}

/** A place as everybody in the session sees it. */
export function briefedPlace(scenario: Roles, place: Participant): Schema<'BriefedParticipant'> {
  const { _id: assignment_id, full_name, role_key } = place
  const role_title = roleOf(scenario, role_key)?.title ?? null
  return { assignment_id, full_name, role_key, role_title }
}
