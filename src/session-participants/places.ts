import type { Schema } from '../contract.js'
import type { FrozenScenario } from '../database/frozen-scenario.js'
import { entityTagOf } from '../entity-tags.js'
import type { Participant } from '../simulation-sessions/participant-queries.js'

type Roles = Pick<FrozenScenario, 'participant_roles'>

export const roleOf = ({ participant_roles }: Roles, role_key: string | null) =>
  participant_roles.find((role) => role.role_key === role_key) ?? null

/** Names the places of a session, and who has joined or left. Messages do not change it. */
export function placesTag(places: Participant[]): string {
  return entityTagOf(
    places.map(({ _id, role_key, joined_at, left_at }) => [_id, role_key, joined_at, left_at]),
  )
}

/** A place as its holder and those who lead see it. */
export function placeOf(scenario: Roles, place: Participant): Schema<'ParticipantAssignment'> {
  const { _id, session_id, user_id, full_name, role_key, created_at } = place
  const { joined_at, left_at, last_spoke_at } = place
  const role_title = roleOf(scenario, role_key)?.title ?? null
  const open = { _id, session_id, user_id, full_name, role_key, role_title }
  return { ...open, joined_at, left_at, last_spoke_at, created_at }
}

/** A place as everybody in the session sees it. */
export function briefedPlace(scenario: Roles, place: Participant): Schema<'BriefedParticipant'> {
  const { _id: assignment_id, full_name, role_key } = place
  const role_title = roleOf(scenario, role_key)?.title ?? null
  return { assignment_id, full_name, role_key, role_title }
}
