import type { Transaction } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { throwFaults } from '../errors.js'
import { selectCast } from './cast-queries.js'
import { selectAssignments } from './participant-queries.js'
import { namesOf, participantFaults, peopleById, raterFaults, type Stage } from './participants.js'
import type { SessionKey } from './queries.js'

/** Throws 422, with every fault, where a person cannot take part in a session or rate it. */
export async function requireTeam(
  trx: Transaction<Database>,
  scenario: { organization_id: string } & Pick<Stage, 'scenario_name' | 'participant_roles'>,
  participants: Schema<'SessionParticipant'>[],
  rater_ids: string[],
): Promise<void> {
  const user_ids = participants.map(({ user_id }) => user_id)
  const people = await peopleById(trx, scenario.organization_id, [...user_ids, ...rater_ids])
  // Who rates and takes part as well is told among those who rate.
  const cast = await selectCast(trx, scenario.organization_id, scenario.scenario_name)
  const names = { rater_ids: [], cast_names: namesOf(cast) }
  const stage = { ...scenario, ...names, present: new Set<string>() }
  throwFaults([
    ...participantFaults(participants, people, stage),
    ...raterFaults(rater_ids, people, user_ids),
  ])
}

/** Throws 422, with every fault, where one of them cannot rate the session. */
export async function requireRaters(
  trx: Transaction<Database>,
  { organization_id, _id: session_id }: SessionKey,
  rater_ids: string[],
): Promise<void> {
  const people = await peopleById(trx, organization_id, rater_ids)
  // Who took part in a session does not rate it, also after they were taken out of it.
  const everybody = { withRemoved: true }
  const places = await selectAssignments(trx, { organization_id, session_id }, everybody)
  const participants = places.map(({ user_id }) => user_id)
  throwFaults(raterFaults(rater_ids, people, participants))
}
