import type { Schema } from '../../contract.js'
import type { Trx } from '../../database/schema.js'
import { throwFaults } from '../../faults.js'
import type { SessionKey } from '../queries.js'
import { selectPlaces } from './participant-queries.js'
import { participantFaults, peopleById, raterFaults, type TeamRules } from './participants.js'

/** Throws 422, with every fault, if a user cannot take part in the session or rate it. */
export async function requireTeam(
  trx: Trx,
  scenario: { organization_id: string } & Pick<TeamRules, 'scenario_name' | 'participant_roles'>,
  participants: Schema<'SessionParticipant'>[],
  rater_ids: string[],
): Promise<void> {
  const user_ids = participants.map(({ user_id }) => user_id)
  const people = await peopleById(trx, scenario.organization_id, [...user_ids, ...rater_ids])
  // A user who is both rater and participant is reported once, as a rater.
  const rules = { ...scenario, rater_ids: [], present: new Set<string>() }
  throwFaults([
    ...participantFaults(participants, people, rules),
    ...raterFaults(rater_ids, people, user_ids),
  ])
}

/** Throws 422, with every fault, if a user cannot rate the session. */
export async function requireRaters(
  trx: Trx,
  { organization_id, _id: session_id }: SessionKey,
  rater_ids: string[],
): Promise<void> {
  const people = await peopleById(trx, organization_id, rater_ids)
  // Removed participants cannot rate the session either.
  const options = { withRemoved: true }
  const places = await selectPlaces(trx, { organization_id, session_id }, options)
  const participants = places.map(({ user_id }) => user_id)
  throwFaults(raterFaults(rater_ids, people, participants))
}
