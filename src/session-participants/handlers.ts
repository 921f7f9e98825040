import { recordAuditEvents } from '../audit-events/record.js'
import { avatarAddress } from '../avatars/address.js'
import { type Handler, JsonText, type Schema } from '../contract.js'
import {
  defaultPageSize,
  linkToNext,
  type Order,
  positionOf,
  readCursor,
} from '../database/lists/pages.js'
import { pageOfRows } from '../database/lists/row-pages.js'
import type { Db } from '../database/schema.js'
import type { FrozenScenario } from '../database/tables/frozen-scenario.js'
import { notAParticipant, sessionEnded, userNotFound } from '../errors.js'
import { type Fault, throwFaults } from '../faults.js'
import { requireMatch, setEntityTag } from '../formats/entity-tags.js'
import { isId } from '../formats/identifiers.js'
import { callerOf, requireOrganization } from '../identity/caller.js'
import { presenceIn } from '../session-messages/stream/open-sessions/presence-queries.js'
import { findSession, hasJoined, lockSession } from '../simulation-sessions/find-session.js'
import { hasEnded } from '../simulation-sessions/lifecycle.js'
import { countTeamChange } from '../simulation-sessions/progress-queries.js'
import { sessionEvent } from '../simulation-sessions/session-events.js'
import { scenarioOf } from '../simulation-sessions/start/scenario.js'
import { selectCastOf } from '../simulation-sessions/team/cast-queries.js'
import { removeFromTeam } from '../simulation-sessions/team/participant-changes.js'
import {
  type Participant,
  selectPlace,
  selectPlaces,
  updatePlace,
} from '../simulation-sessions/team/participant-queries.js'
import { participantFaults, peopleById } from '../simulation-sessions/team/participants.js'
import { briefingOf } from './briefing.js'
import { changeTeam, lockTeam } from './change-team.js'
import { consentTo, offeredConsent } from './consent.js'
import { ignoreName, takeName } from './names.js'
import { placeOf, placesTag } from './places.js'
import { selectSpeakers } from './queries.js'

export const listSpeakers: Handler<'listSpeakers'> = async (request, reply) => {
  const { limit = defaultPageSize } = request.query
  const { session_id: after_session_id = null, sender_id: after_sender_id = null } =
    readCursor(request, bySpeaker) ?? {}
  const organization_id = request.query.organization_id || callerOf(request).organization_id
  await requireOrganization(request, organization_id)
  const page = { organization_id, after_session_id, after_sender_id, limit: limit + 1 }
  const speakers = (await selectSpeakers(request.db, page)).map((speaker) => {
    const { sender_id, display_name } = speaker
    return { ...speaker, avatar_url: speaker.avatar_url || avatarAddress(sender_id, display_name) }
  })
  const { text, last } = pageOfRows(speakers, limit)
  if (last) reply.header('link', linkToNext(request.originalUrl, positionOf(bySpeaker, last)))
  return new JsonText<Schema<'SpeakerList'>>(text)
}

const bySpeaker: Order<'session_id' | 'sender_id'> = { session_id: isId, sender_id: isId }

export const listParticipants: Handler<'listParticipants'> = async (request, reply) => {
  const { db } = request
  const { session } = await findSession(request)
  const { organization_id, _id: session_id } = session
  const scenario = await scenarioOf(db, request.server.catalogue, session)
  const places = await selectPlaces(db, { organization_id, session_id })
  setEntityTag(reply, placesTag(places))
  return placesFor(db, scenario, places)
}

/** Places as trainers see them. */
async function placesFor(db: Db, scenario: FrozenScenario, places: Participant[]) {
  const [first] = places
  if (!first) return []
  const presence = await presenceIn(db, first)
  return places.map((one) => placeOf(scenario, one, presence.get(one._id) ?? neverOnline))
}

const neverOnline = { online: false, since: null }

export const setParticipants: Handler<'setParticipants'> = async (request, reply) => {
  const { participants } = request.body
  const { db } = request
  return db.transaction().execute(async (trx) => {
    const team = await lockTeam(trx, request)
    const { session, scenario, present } = team
    requireMatch(request, placesTag(present))
    const { organization_id, _id: session_id, started_at } = session
    const user_ids = participants.map(({ user_id }) => user_id)
    const people = await peopleById(trx, organization_id, user_ids, session_id)
    const holders = new Set(started_at ? present.map(({ user_id }) => user_id) : [])
    throwFaults(participantFaults(participants, people, { ...team.rules, present: holders }))
    await changeTeam(trx, request, team, participants)
    const places = await selectPlaces(trx, { organization_id, session_id })
    setEntityTag(reply, placesTag(places))
    return placesFor(trx, scenario, places)
  })
}

export const addParticipant: Handler<'addParticipant'> = async (request) => {
  const { user_id } = request.params
  return request.db.transaction().execute(async (trx) => {
    const team = await lockTeam(trx, request)
    const { session, scenario, present } = team
    const { organization_id, _id: session_id, status } = session
    const people = await peopleById(trx, organization_id, [user_id], session_id)
    if (!people.has(user_id)) throw userNotFound()
    if (hasEnded(status)) throw sessionEnded(status)
    const known = present.find((place) => place.user_id === user_id)
    const { role_key = known?.role_key ?? null } = request.body ?? {}
    const one = { user_id, role_key: role_key || null }
    const rules = { ...team.rules, present: new Set(known ? [user_id] : []) }
    throwFaults(participantFaults([one], people, rules).map(asFaultOfOne))
    const others = present.filter((place) => place !== known)
    await changeTeam(trx, request, team, [...others, one])
    const places = await selectPlaces(trx, { organization_id, session_id })
    const place = places.find((place) => place.user_id === user_id)
    if (!place) throw userNotFound()
    const presence = await presenceIn(trx, place)
    return placeOf(scenario, place, presence.get(place._id) ?? neverOnline)
  })
}

/** Points a fault of a list with one participant to the path or the body, where its value came from. */
function asFaultOfOne({ loc, ...fault }: Fault): Fault {
  const field = String(loc.at(-1))
  return { ...fault, loc: [field === 'user_id' ? 'path' : 'body', field] }
}

export const removeParticipant: Handler<'removeParticipant'> = async (request) => {
  const { db, server } = request
  const { user_id } = request.params
  await server.authenticator.transaction(db, async (trx) => {
    const { session } = await lockSession(trx, request, 'for a moment')
    const { organization_id, _id: session_id, status } = session
    const key = { organization_id, session_id, user_id }
    const place = isId(user_id) ? await selectPlace(trx, key) : undefined
    if (!place) throw userNotFound()
    if (hasEnded(status)) throw sessionEnded(status)
    await removeFromTeam(trx, session, place)
    const metadata = { user_id, assignment_id: place._id }
    const event = sessionEvent(session, 'participant_removed', { metadata })
    await recordAuditEvents(trx, request, [event])
  })
  server.sessionStreams.checkAccess()
}

export const getBriefing: Handler<'getBriefing'> = async (request) => {
  const { db } = request
  const { catalogue, usage } = request.server
  const found = await findSession(request)
  const { organization_id, _id: session_id } = found.session
  const scenario = await scenarioOf(db, catalogue, found.session)
  const places = await selectPlaces(db, { organization_id, session_id })
  const { session_characters } = await usage.cachedLimits.of(db, organization_id)
  const cast = await selectCastOf(db, found.session, session_characters)
  const consent = await offeredConsent(db, organization_id, found.part)
  await request.pause()
  return briefingOf(found, scenario, { places, cast, consent })
}

export const joinSession: Handler<'joinSession'> = async (request, reply) => {
  const { db } = request
  const { catalogue, usage } = request.server
  return db.transaction().execute(async (trx) => {
    const { session, part } = await lockSession(trx, request)
    const { organization_id, _id: session_id, status, now } = session
    const { place } = part
    if (!place) throw notAParticipant('join')
    if (hasEnded(status)) throw sessionEnded(status)
    const scenario = await scenarioOf(trx, catalogue, session)
    if (hasJoined(place)) {
      ignoreName(reply, request.body)
    } else {
      const { session_characters } = await usage.cachedLimits.of(trx, organization_id)
      const joining = { session, place, scenario, session_characters }
      const { changes } = await takeName(trx, reply, joining, request.body)
      const { consent_version = null } = request.body
      const consent = await consentTo(trx, organization_id, consent_version)
      const team_seq = await countTeamChange(trx, session)
      const change = { joined_at: now, left_at: null, team_seq, ...consent }
      await updatePlace(trx, place, change)
      const metadata = { assignment_id: place._id, ...consent }
      const event = sessionEvent(session, 'participant_joined', { metadata, changes })
      await recordAuditEvents(trx, request, [event])
    }
    const places = await selectPlaces(trx, { organization_id, session_id })
    const own = places.find(({ _id }) => _id === place._id)
    if (!own) throw notAParticipant('join')
    return placeOf(scenario, own, null)
  })
}

export const leaveSession: Handler<'leaveSession'> = async (request) => {
  await request.db.transaction().execute(async (trx) => {
    const { session, part } = await lockSession(trx, request)
    const { place } = part
    if (!place || !hasJoined(place) || hasEnded(session.status)) return
    const team_seq = await countTeamChange(trx, session)
    await updatePlace(trx, place, { left_at: session.now, team_seq })
    const metadata = { assignment_id: place._id }
    await recordAuditEvents(trx, request, [sessionEvent(session, 'participant_left', { metadata })])
  })
}
