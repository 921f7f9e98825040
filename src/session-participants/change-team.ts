import type { FastifyRequest } from 'fastify'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import type { FrozenScenario } from '../database/tables/frozen-scenario.js'
import { participantsFixed } from '../errors.js'
import { selectRaters } from '../session-ratings/queries.js'
import { lockSession } from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import { type LockedSession, updateSession } from '../simulation-sessions/queries.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import { scenarioOf } from '../simulation-sessions/start/scenario.js'
import { requireCastWithinLimit } from '../simulation-sessions/team/cast-queries.js'
import {
  changeParticipants,
  compareParticipants,
  isChange,
} from '../simulation-sessions/team/participant-changes.js'
import { type Participant, selectPlaces } from '../simulation-sessions/team/participant-queries.js'
import type { TeamRules } from '../simulation-sessions/team/participants.js'
import { requireCountWithinLimit } from '../usage/require-limits.js'

type Request = Pick<FastifyRequest, 'id' | 'caller' | 'server' | 'db'> & {
  params: { session_id: string }
}

/** A locked session with its participants, and the rules for new ones. */
export interface Team {
  session: LockedSession
  scenario: FrozenScenario
  present: Participant[]
  rules: Omit<TeamRules, 'present'>
}

/** Locks the session of a request, to change its participants. */
export async function lockTeam(trx: Trx, request: Request): Promise<Team> {
  const { session } = await lockSession(trx, request, 'for a moment')
  const { organization_id, _id: session_id, scenario_name } = session
  const key = { organization_id, session_id }
  const scenario = await scenarioOf(trx, request.server.catalogue, session)
  const present = await selectPlaces(trx, key)
  const rules = {
    scenario_name,
    participant_roles: scenario.participant_roles,
    rater_ids: [...session.rater_ids, ...(await selectRaters(trx, key))],
  }
  return { session, scenario, present, rules }
}

/**
 * Stores the wanted participants of a locked session. The caller has checked them. Throws 409 if the
 * status does not allow the change, or a limit would be exceeded.
 */
export async function changeTeam(
  trx: Trx,
  request: Request,
  { session, present }: Team,
  wanted: Schema<'SessionParticipant'>[],
): Promise<void> {
  const { organization_id, status, started_at } = session
  const change = compareParticipants(present, wanted)
  const changesPresent = change.removed.length + change.changed.length > 0
  if (hasEnded(status) || (started_at && changesPresent)) throw participantsFixed(status)
  const counts = await countTeam(trx, session, wanted)
  const { defaults } = request.server.usage
  await requireCountWithinLimit(trx, defaults, organization_id, 'session_participants', counts)
  if (counts.adding > 0 && !started_at) await requireCastWithinLimit(trx, defaults, session)
  if (!isChange(change)) return
  await changeParticipants(trx, session, wanted, { present, change })
  await updateSession(trx, session, {})
  const event = sessionEvent(session, 'participants_changed', { metadata: { ...change } })
  await recordAuditEvents(trx, request, [event])
}

/** Counts present and added participants. After the start removed participants still count. */
async function countTeam(
  trx: Trx,
  { organization_id, _id: session_id, started_at }: LockedSession,
  wanted: Schema<'SessionParticipant'>[],
): Promise<{ used: number; adding: number }> {
  const withRemoved = started_at !== null
  const places = await selectPlaces(trx, { organization_id, session_id }, { withRemoved })
  const used = places.length
  if (!withRemoved) return { used, adding: wanted.length - used }
  const known = new Set(places.map(({ user_id }) => user_id))
  return { used, adding: wanted.filter(({ user_id }) => !known.has(user_id)).length }
}
