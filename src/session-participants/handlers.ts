import type { Transaction } from 'kysely'
import { recordAuditEvents } from '../audit-events/record.js'
import type { Handler, Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import {
  notAParticipant,
  participantsFixed,
  sessionEnded,
  throwFaults,
  userNotFound,
  valueError,
} from '../errors.js'
import { isId } from '../identifiers.js'
import { selectRaters } from '../session-ratings/queries.js'
import { selectCastOf } from '../simulation-sessions/cast-queries.js'
import { findSession, isIn, lockSession } from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import { compareParticipants, isChange } from '../simulation-sessions/participant-changes.js'
import {
  selectAssignment,
  selectAssignments,
  updateAssignment,
} from '../simulation-sessions/participant-queries.js'
import {
  changeParticipants,
  namesOf,
  participantFaults,
  peopleById,
  takeOut,
} from '../simulation-sessions/participants.js'
import { type StoredSession, updateSession } from '../simulation-sessions/queries.js'
import { scenarioOf } from '../simulation-sessions/scenario.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import { requireWithin } from '../usage/room.js'
import { checkNamesBeside } from '../users/look-alikes.js'
import { briefingOf } from './briefing.js'
import { placeOf } from './places.js'

export const setParticipants: Handler<'setParticipants'> = async (request) => {
  const { participants } = request.body
  const { db } = request
  const { catalogue } = request.server
  return db.transaction().execute(async (trx) => {
    const { session } = await lockSession(trx, request, 'for a moment')
    const { organization_id, _id: session_id, started_at, status } = session
    const place = { organization_id, session_id }
    const scenario = await scenarioOf(trx, catalogue, session)
    const present = await selectAssignments(trx, place)
    const user_ids = participants.map(({ user_id }) => user_id)
    const people = await peopleById(trx, organization_id, user_ids)
    await request.pauseInTransaction()
    throwFaults(
      participantFaults(participants, people, {
        scenario_name: session.scenario_name,
        participant_roles: scenario.participant_roles,
        rater_ids: [...session.rater_ids, ...(await selectRaters(trx, place))],
        cast_names: namesOf(await selectCastOf(trx, session)),
        present: new Set(started_at ? present.map(({ user_id }) => user_id) : []),
      }),
    )

    const change = compareParticipants(present, participants)
    const changesPresent = change.removed.length + change.changed.length > 0
    if (hasEnded(status) || (started_at && changesPresent)) throw participantsFixed(status)
    const team = await countPlaces(trx, session, participants)
    await requireWithin(trx, organization_id, 'session_participants', team)
    if (isChange(change)) {
      await changeParticipants(trx, session, participants, { present, change })
      await updateSession(trx, session, {})
      const event = sessionEvent(session, 'participants_changed', { metadata: { ...change } })
      await recordAuditEvents(trx, request, [event])
    }
    const places = await selectAssignments(trx, place)
    return places.map((one) => placeOf(scenario, one))
  })
}

/** How many places a session has and needs besides. After the start a place that is left stays. */
async function countPlaces(
  trx: Transaction<Database>,
  { organization_id, _id: session_id, started_at }: StoredSession,
  wanted: Schema<'SessionParticipant'>[],
): Promise<{ used: number; adding: number }> {
  const withRemoved = started_at !== null
  const places = await selectAssignments(trx, { organization_id, session_id }, { withRemoved })
  const used = places.length
  if (!withRemoved) return { used, adding: wanted.length - used }
  const known = new Set(places.map(({ user_id }) => user_id))
  return { used, adding: wanted.filter(({ user_id }) => !known.has(user_id)).length }
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
    await takeOut(trx, session, assignment)
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
    if (!isIn(assignment)) {
      await request.pauseInTransaction()
      await requireOwnName(trx, session, assignment)
      await updateAssignment(trx, assignment, { joined_at: now, left_at: null })
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

/** Throws 422 where the user could be taken for a character of the session. */
async function requireOwnName(
  trx: Transaction<Database>,
  session: StoredSession,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<void> {
  const people = await peopleById(trx, organization_id, [user_id])
  const cast_names = namesOf(await selectCastOf(trx, session))
  const fault = checkNamesBeside(cast_names)(people.get(user_id)?.full_name ?? null)
  if (fault) throw valueError(['path', 'session_id'], fault)
}

export const leaveSession: Handler<'leaveSession'> = async (request) => {
  await request.db.transaction().execute(async (trx) => {
    const { session, part } = await lockSession(trx, request)
    const { assignment } = part
    if (!assignment || !isIn(assignment) || hasEnded(session.status)) return
    await updateAssignment(trx, assignment, { left_at: session.now })
    const metadata = { assignment_id: assignment._id }
    await recordAuditEvents(trx, request, [sessionEvent(session, 'participant_left', { metadata })])
  })
}
