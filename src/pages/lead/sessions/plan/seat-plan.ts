import type { Schema } from '../../../shared/forms/schema.js'

/** The participant of a planned place: the `_id` of a user, a guest, or none. */
export type Sitter = string
export const guest = 'guest'
export const none = ''

/** A place of a session that is being planned. */
export interface Seat {
  key: string
  role_key: string | null
  title: string | null
  sitter: Sitter
}

/** One place for each role of the scenario, for a guest. */
export function seatsOf(roles: readonly Schema<'ParticipantRole'>[]): Seat[] {
  return roles.map(({ role_key, title }) => ({ key: role_key, role_key, title, sitter: guest }))
}

/** The places for users. */
export const participantsOf = (seats: readonly Seat[]): Schema<'SessionParticipant'>[] =>
  seats
    .filter(({ sitter }) => sitter !== guest && sitter !== none)
    .map(({ sitter, role_key }) => ({ user_id: sitter, role_key }))

/** The places for guests. */
export const guestsOf = (seats: readonly Seat[]): Schema<'SeatOfLink'>[] =>
  seats
    .filter(({ sitter }) => sitter === guest)
    .map(({ role_key }) => ({ guest: true, ...(role_key && { role_key }) }))
