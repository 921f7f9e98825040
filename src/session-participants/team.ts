import type { FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { FrozenScenario } from '../database/frozen-scenario.js'
import type { Database } from '../database/schema.js'
import { participantsFixed } from '../errors.js'
import { selectRaters } from '../session-ratings/queries.js'
import { selectCastOf } from '../simulation-sessions/cast-queries.js'
import { lockSession } from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import { compareParticipants, isChange } from '../simulation-sessions/participant-changes.js'
import { type Participant, selectAssignments } from '../simulation-sessions/participant-queries.js'
import { changeParticipants, namesOf, type Stage } from '../simulation-sessions/participants.js'
import { type LockedSession, updateSession } from '../simulation-sessions/queries.js'
import { scenarioOf } from '../simulation-sessions/scenario.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import { requireWithin } from '../usage/room.js'

type Trx = Transaction<Database>
type Request = Pick<FastifyRequest, 'id' | 'caller' | 'server' | 'db'> & {
  params: { session_id: string }
}

/** A locked session with its participants, and what a new one is checked against. */
interface Team {
  session: LockedSession
  scenario: FrozenScenario
  present: Participant[]
  stage: Omit<Stage, 'present'>
}

/** Locks the session of a request, to change its participants. */
export async function lockTeam(trx: Trx, request: Request): Promise<Team> {
  const { session } = await lockSession(trx, request, 'for a moment')
  const { organization_id, _id: session_id, scenario_name } = session
  const place = { organization_id, session_id }
  const scenario = await scenarioOf(trx, request.server.catalogue, session)
  const present = await selectAssignments(trx, place)
  const stage = {
    scenario_name,
    participant_roles: scenario.participant_roles,
    rater_ids: [...session.rater_ids, ...(await selectRaters(trx, place))],
    cast_names: namesOf(await selectCastOf(trx, session)),
  }
  return { session, scenario, present, stage }
}

/**
 * Gives a locked session the participants that are wanted, who were checked. Throws 409 for a change
 * that the status does not allow, or for which there is no room.
 */
export async function changePlaces(
  trx: Trx,
  request: Request,
  { session, present }: Team,
  wanted: Schema<'SessionParticipant'>[],
): Promise<void> {
  const { organization_id, status, started_at } = session
  const change = compareParticipants(present, wanted)
  const changesPresent = change.removed.length + change.changed.length > 0
  if (hasEnded(status) || (started_at && changesPresent)) throw participantsFixed(status)
  const places = await countPlaces(trx, session, wanted)
  await requireWithin(trx, organization_id, 'session_participants', places)
  if (!isChange(change)) return
  await changeParticipants(trx, session, wanted, { present, change })
  await updateSession(trx, session, {})
  const event = sessionEvent(session, 'participants_changed', { metadata: { ...change } })
  await recordAuditEvents(trx, request, [event])
}

/** How many places a session has and needs besides. After the start a place that is left stays. */
async function countPlaces(
  trx: Trx,
  { organization_id, _id: session_id, started_at }: LockedSession,
  wanted: Schema<'SessionParticipant'>[],
): Promise<{ used: number; adding: number }> {
  const withRemoved = started_at !== null
  const places = await selectAssignments(trx, { organization_id, session_id }, { withRemoved })
  const used = places.length
  if (!withRemoved) return { used, adding: wanted.length - used }
  const known = new Set(places.map(({ user_id }) => user_id))
  return { used, adding: wanted.filter(({ user_id }) => !known.has(user_id)).length }
}
