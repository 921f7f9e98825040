import { avatarAddress } from '../avatars/address.js'
import type { Schema } from '../contract.js'
import type { FrozenScenario } from '../database/tables/frozen-scenario.js'
import { type FoundSession, hasJoined, seesAll } from '../simulation-sessions/find-session.js'
import type { StoredSession } from '../simulation-sessions/queries.js'
import type { CastMember } from '../simulation-sessions/team/cast-queries.js'
import type { Participant } from '../simulation-sessions/team/participant-queries.js'
import { briefedPlace, roleOf } from './places.js'

/** What a briefing shows besides the session and its scenario. */
interface Shown {
  places: Participant[]
  cast: CastMember[]
  consent: Schema<'OfferedConsent'>
}

/**
 * What the caller may see of a session. Each field is listed, so that all other fields of the scenario,
 * also future ones, stay hidden from participants.
 */
export function briefingOf(
  { session, part }: FoundSession,
  scenario: FrozenScenario,
  { places, cast, consent }: Shown,
): Schema<'SessionBriefing'> {
  const { _id: session_id, name, status, starts_at, scenario_name } = session
  const { label, lang, situation } = scenario
  return {
    session_id,
    name,
    status,
    starts_at,
    scenario_name,
    label,
    description: situation && !seesAll(part) ? null : scenario.description,
    lang,
    situation,
    role: roleOf(scenario, part.place?.role_key ?? null),
    is_guest: places.some(({ _id, is_guest }) => is_guest && _id === part.place?._id),
    joined: hasJoined(part.place),
    consent,
    participants: places.map((place, i) => briefedPlace(scenario, place, i + 1)),
    cast: cast.map(briefedCharacter),
    channels: briefedChannels(session, scenario),
    observer: seesAll(part) ? scenario.observer : [],
    facilitator: part.kind === 'trainer' ? facilitatorBriefing(scenario) : null,
  }
}

function briefedCharacter({ _id: character_id, ...character }: CastMember) {
  const { full_name, username, title, department } = character
  const display_name = full_name ?? username
  const avatar_url = character.avatar_url || avatarAddress(character_id, display_name)
  return { character_id, display_name, full_name, avatar_url, title, department }
}

/** The conversations of a started session; before the start the channels of its scenario. */
function briefedChannels(
  { started_at, conversations }: Pick<StoredSession, 'started_at' | 'conversations'>,
  { channels }: FrozenScenario,
): Schema<'BriefedChannel'>[] {
  if (!started_at) return channels.map((channel) => ({ conversation_id: null, ...channel }))
  const purposes = new Map(channels.map(({ channel_name, purpose }) => [channel_name, purpose]))
  return conversations.map(({ conversation_id, channel_name }) => {
    return { conversation_id, channel_name, purpose: purposes.get(channel_name) ?? null }
  })
}

function facilitatorBriefing(scenario: FrozenScenario): Schema<'FacilitatorBriefing'> {
  const { participant_roles: roles, artefacts, beats, decision_points } = scenario
  const { debrief, rubric, run_sheet } = scenario
  return { roles, artefacts, beats, decision_points, debrief, rubric, run_sheet }
}
