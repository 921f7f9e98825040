import { avatarAddress } from '../avatars/address.js'
import type { Schema } from '../contract.js'
import type { FrozenScenario } from '../database/tables/frozen-scenario.js'
import { entityTagOf } from '../formats/entity-tags.js'
import type { Participant } from '../simulation-sessions/team/participant-queries.js'

type Roles = Pick<FrozenScenario, 'participant_roles'>

export const roleOf = ({ participant_roles }: Roles, role_key: string | null) =>
  participant_roles.find((role) => role.role_key === role_key) ?? null

/** The entity tag of the participants, their roles, and who has joined or left. Messages keep it. */
export function placesTag(places: Participant[]): string {
  return entityTagOf(
    places.map(({ _id, role_key, joined_at, left_at }) => [_id, role_key, joined_at, left_at]),
  )
}

/** A place as its participant and trainers see it. Only trainers see the presence. */
export function placeOf(
  scenario: Roles,
  place: Participant,
  presence: Schema<'Presence'> | null,
): Schema<'ParticipantAssignment'> {
  const { _id, session_id, user_id, full_name, is_guest, role_key, created_at } = place
  const { joined_at, left_at, last_spoke_at } = place
  const consent = consentOf(place)
  const role_title = roleOf(scenario, role_key)?.title ?? null
  const visible = { _id, session_id, user_id, full_name, is_guest, role_key, role_title }
  return { ...visible, joined_at, left_at, last_spoke_at, consent, presence, created_at }
}

/** The consent text that the participant of a place has agreed to; null without one. */
function consentOf({ consent_version, consent_sha256 }: Participant) {
  if (consent_version === null || consent_sha256 === null) return null
  return { version: consent_version, sha256: consent_sha256 }
}

/** A place as everyone in the session sees it. `number` is its position in the list. */
export function briefedPlace(
  scenario: Roles,
  place: Participant,
  number: number,
): Schema<'BriefedParticipant'> {
  const { _id: assignment_id, user_id, full_name, role_key } = place
  const role_title = roleOf(scenario, role_key)?.title ?? null
  const display_name = full_name ?? role_title ?? `Participant ${number}`
  const avatar_url = place.avatar_url || avatarAddress(user_id, display_name)
  return { assignment_id, user_id, display_name, full_name, avatar_url, role_key, role_title }
}
