import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler } from '../contract.js'
import type { Trx } from '../database/schema.js'
import { notAParticipant, sessionEnded, userNotFound } from '../errors.js'
import { type Fault, throwFaults, valueError } from '../faults.js'
import { requireMatch } from '../formats/entity-tags.js'
import { isId } from '../formats/identifiers.js'
import { findSession, hasJoined, lockSession } from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import { countTeamChange, type StoredSession } from '../simulation-sessions/queries.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import { scenarioOf } from '../simulation-sessions/start/scenario.js'
import { selectCastOf } from '../simulation-sessions/team/cast-queries.js'
import { removeFromTeam } from '../simulation-sessions/team/participant-changes.js'
import {
  selectAssignment,
  selectAssignments,
  updateAssignment,
} from '../simulation-sessions/team/participant-queries.js'
import { namesOf, participantFaults, peopleById } from '../simulation-sessions/team/participants.js'
import { checkNamesAgainst } from '../users/look-alikes.js'
import { briefingOf } from './briefing.js'
import { changeTeam, lockTeam } from './change-team.js'
import { placeOf, placesTag } from './places.js'

export const listParticipants: Handler<'listParticipants'> = async (request, reply) => {
  const { db } = request
  const { session } = await findSession(request)
  const { organization_id, _id: session_id } = session
  const scenario = await scenarioOf(db, request.server.catalogue, session)
  const places = await selectAssignments(db, { organization_id, session_id })
  reply.header('etag', placesTag(places))
  return places.map((one) => placeOf(scenario, one))
}

export const setParticipants: Handler<'setParticipants'> = async (request, reply) => {
  const { participants } = request.body
  const { db } = request
  return db.transaction().execute(async (trx) => {
    const team = await lockTeam(trx, request)
    const { session, scenario, present } = team
    requireMatch(request, placesTag(present))
    const { organization_id, _id: session_id, started_at } = session
    const user_ids = participants.map(({ user_id }) => user_id)
    const people = await peopleById(trx, organization_id, user_ids)
    await request.pauseInTransaction()
    const holders = new Set(started_at ? present.map(({ user_id }) => user_id) : [])
    throwFaults(participantFaults(participants, people, { ...team.rules, present: holders }))
    await changeTeam(trx, request, team, participants)
    const places = await selectAssignments(trx, { organization_id, session_id })
    reply.header('etag', placesTag(places))
    return places.map((one) => placeOf(scenario, one))
  })
}

export const addParticipant: Handler<'addParticipant'> = async (request) => {
  const { user_id } = request.params
  return request.db.transaction().execute(async (trx) => {
    const team = await lockTeam(trx, request)
    const { session, scenario, present } = team
    const { organization_id, _id: session_id, status } = session
    const people = await peopleById(trx, organization_id, [user_id])
    if (!people.has(user_id)) throw userNotFound()
    if (hasEnded(status)) throw sessionEnded(status)
    const known = present.find((place) => place.user_id === user_id)
    const { role_key = known?.role_key ?? null } = request.body ?? {}
    const one = { user_id, role_key: role_key || null }
    await request.pauseInTransaction()
    const rules = { ...team.rules, present: new Set(known ? [user_id] : []) }
    throwFaults(participantFaults([one], people, rules).map(asFaultOfOne))
    const others = present.filter((place) => place !== known)
    await changeTeam(trx, request, team, [...others, one])
    const places = await selectAssignments(trx, { organization_id, session_id })
    const place = places.find((place) => place.user_id === user_id)
    if (!place) throw userNotFound()
    return placeOf(scenario, place)
  })
}

/** Points a fault of a list with one participant to the path or the body, where its value came from. */
function asFaultOfOne({ loc, ...fault }: Fault): Fault {
  const field = String(loc.at(-1))
  return { ...fault, loc: [field === 'user_id' ? 'path' : 'body', field] }
}

export const removeParticipant: Handler<'removeParticipant'> = async (request) => {
  const { user_id } = request.params
  await request.db.transaction().execute(async (trx) => {
    const { session } = await lockSession(trx, request, 'for a moment')
    const { organization_id, _id: session_id, status } = session
    const place = { organization_id, session_id, user_id }
    const assignment = isId(user_id) ? await selectAssignment(trx, place) : undefined
    if (!assignment) throw userNotFound()
    if (hasEnded(status)) throw sessionEnded(status)
    await removeFromTeam(trx, session, assignment)
    const metadata = { user_id, assignment_id: assignment._id }
    const event = sessionEvent(session, 'participant_removed', { metadata })
    await recordAuditEvents(trx, request, [event])
  })
}

export const getBriefing: Handler<'getBriefing'> = async (request) => {
  const { db } = request
  const { catalogue } = request.server
  const found = await findSession(request)
  const { organization_id, _id: session_id } = found.session
  const scenario = await scenarioOf(db, catalogue, found.session)
  const places = await selectAssignments(db, { organization_id, session_id })
  const cast = await selectCastOf(db, found.session)
  await request.pause()
  return briefingOf(found, scenario, places, cast)
}

export const joinSession: Handler<'joinSession'> = async (request) => {
  const { db } = request
  const { catalogue } = request.server
  return db.transaction().execute(async (trx) => {
    const { session, part } = await lockSession(trx, request)
    const { organization_id, _id: session_id, status, now } = session
    const { assignment } = part
    if (!assignment) throw notAParticipant()
    if (hasEnded(status)) throw sessionEnded(status)
    if (!hasJoined(assignment)) {
      await request.pauseInTransaction()
      await requireOwnName(trx, session, assignment)
      const team_seq = await countTeamChange(trx, session)
      await updateAssignment(trx, assignment, { joined_at: now, left_at: null, team_seq })
      const metadata = { assignment_id: assignment._id }
      const event = sessionEvent(session, 'participant_joined', { metadata })
      await recordAuditEvents(trx, request, [event])
    }
    const scenario = await scenarioOf(trx, catalogue, session)
    const places = await selectAssignments(trx, { organization_id, session_id })
    const own = places.find(({ _id }) => _id === assignment._id)
    if (!own) throw notAParticipant()
    return placeOf(scenario, own)
  })
}

/** Throws 422 if the name of the user looks like that of a character in the session. */
async function requireOwnName(
  trx: Trx,
  session: StoredSession,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<void> {
  const people = await peopleById(trx, organization_id, [user_id])
  const cast_names = namesOf(await selectCastOf(trx, session))
  const fault = checkNamesAgainst(cast_names)(people.get(user_id)?.full_name ?? null)
  if (fault) throw valueError(['path', 'session_id'], ...fault)
}

export const leaveSession: Handler<'leaveSession'> = async (request) => {
  await request.db.transaction().execute(async (trx) => {
    const { session, part } = await lockSession(trx, request)
    const { assignment } = part
    if (!assignment || !hasJoined(assignment) || hasEnded(session.status)) return
    const team_seq = await countTeamChange(trx, session)
    await updateAssignment(trx, assignment, { left_at: session.now, team_seq })
    const metadata = { assignment_id: assignment._id }
    await recordAuditEvents(trx, request, [sessionEvent(session, 'participant_left', { metadata })])
  })
}
