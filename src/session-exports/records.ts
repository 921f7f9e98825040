import type { FrozenScenario } from '../database/tables/frozen-scenario.js'
import { roleOf } from '../session-participants/places.js'
import type { Rated } from '../session-ratings/queries.js'
import type { StoredSession } from '../simulation-sessions/queries.js'
import type { CastMember } from '../simulation-sessions/team/cast-queries.js'
import type { Participant } from '../simulation-sessions/team/participant-queries.js'
import type { Who } from './people.js'
import type { ExportedMessage } from './queries.js'

/** All of a session except its messages, as it is when the export begins. */
export interface SessionFile {
  session: StoredSession
  scenario: FrozenScenario
  places: Participant[]
  cast: CastMember[]
  ratings: Rated[]
  who: Who
  /** Whether the export has names and user ids. */
  isNamed: boolean
}

/** Lists each field, so that the export hides the creator, the raters and the arm. */
export function sessionRecord({ session, scenario, cast }: SessionFile) {
  const { _id, name, scenario_name, timing, speed, mode, status, started_at, ended_at } = session
  const { ends_after_minutes, planned, withheld, conversations, deviations } = session
  const { label, catalogue_version, rubric } = scenario
  return {
    record: 'session',
    _id,
    name,
    scenario_name,
    label,
    catalogue_version,
    timing,
    speed,
    mode,
    status,
    started_at,
    ended_at,
    ends_after_minutes,
    planned,
    withheld,
    deviations,
    conversations,
    cast: cast.map(({ _id: character_id, full_name, title, department }) => {
      return { character_id, full_name, title, department }
    }),
    criteria: rubric,
  }
}

export function participantRecords({ scenario, who }: SessionFile, places: Participant[]) {
  return places.map((place) => ({
    record: 'participant',
    ...who.participant(place),
    role_key: place.role_key,
    role_title: roleOf(scenario, place.role_key)?.title ?? null,
    joined_at: place.joined_at,
    left_at: place.left_at,
  }))
}

export function messageRecords({ session, who }: SessionFile, messages: ExportedMessage[]) {
  const names = channelNames(session)
  return messages.map(({ sender_id, _id: message_id, seq, ...message }) => ({
    record: 'message',
    seq,
    message_id,
    ...who.sender({ sender_id, sender_kind: message.sender_kind }),
    ...message,
    channel_name: names.get(message.conversation_id) ?? null,
  }))
}

export function ratingRecords({ who }: SessionFile, ratings: Rated[]) {
  return ratings.map(({ subject, criterion, value, comment, rated_at, ...rater }) => ({
    record: 'rating',
    ...who.rater(rater),
    ...who.subject(subject),
    criterion,
    value,
    comment,
    rated_at,
  }))
}

export const channelNames = ({ conversations }: Pick<StoredSession, 'conversations'>) =>
  new Map(conversations.map(({ conversation_id, channel_name }) => [conversation_id, channel_name]))
