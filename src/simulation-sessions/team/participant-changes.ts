import type { Schema } from '../../contract.js'
import type { Trx } from '../../database/schema.js'
import type { AccessTransaction } from '../../identity/access-changes.js'
import { deviationsWith } from '../deviations.js'
import { countTeamChange } from '../progress-queries.js'
import { type LockedSession, type SessionKey, updateSession } from '../queries.js'
import { removeSeats, revokeSeat } from '../seats.js'
import * as queries from './participant-queries.js'

/** The user ids of added and removed participants, and of those with a new role. */
export interface ParticipantChange {
  added: string[]
  removed: string[]
  changed: string[]
}

/** Compares the present participants with the wanted ones. */
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

/** Stores the wanted participants of a session. The caller has checked them. */
export async function changeParticipants(
  trx: Trx,
  session: SessionKey,
  wanted: Schema<'SessionParticipant'>[],
  { present, change }: { present: queries.StoredPlace[]; change: ParticipantChange },
): Promise<void> {
  const { organization_id, _id: session_id } = session
  const team_seq = await countTeamChange(trx, session)
  const roles = new Map(wanted.map(({ user_id, role_key }) => [user_id, role_key || null]))
  const placesOf = (users: string[]) => present.filter(({ user_id }) => users.includes(user_id))
  const removed = placesOf(change.removed)
  const removed_ids = removed.map(({ _id }) => _id)
  await queries.deletePlaces(trx, organization_id, removed_ids)
  await removeSeats(trx, organization_id, removed)
  for (const { _id, user_id } of placesOf(change.changed)) {
    const role_key = roles.get(user_id) ?? null
    await queries.updatePlace(trx, { organization_id, _id }, { role_key, team_seq })
  }
  const added = wanted.filter(({ user_id }) => change.added.includes(user_id))
  await queries.insertPlaces(trx, { organization_id, session_id }, added, team_seq)
}

/** Removes a participant. After the start the place and the messages stay. */
export async function removeFromTeam(
  trx: AccessTransaction,
  session: LockedSession,
  place: queries.StoredPlace,
): Promise<void> {
  const { organization_id, _id, left_at } = place
  const { started_at, now: at } = session
  const team_seq = await countTeamChange(trx, session)
  if (started_at === null) {
    await queries.deletePlaces(trx, organization_id, [_id])
    await removeSeats(trx, organization_id, [place])
    await updateSession(trx, session, {})
    return
  }
  await queries.updatePlace(
    trx,
    { organization_id, _id },
    { removed_at: at, left_at: left_at ?? at, team_seq },
  )
  await revokeSeat(trx, session, place)
  await updateSession(trx, session, { deviations: deviationsWith(session, 'participant_removed') })
}
