import type { FrozenScenario } from '../database/tables/frozen-scenario.js'
import type { StoredNote } from '../session-notes/queries.js'
import { roleOf } from '../session-participants/places.js'
import type { StoredOwnRating } from '../session-ratings/own-queries.js'
import type { Rated } from '../session-ratings/queries.js'
import type { StoredDecision } from '../simulation-sessions/decisions/queries.js'
import type { StoredSession } from '../simulation-sessions/queries.js'
import type { CastMember } from '../simulation-sessions/team/cast-queries.js'
import type { Participant } from '../simulation-sessions/team/participant-queries.js'
import type { TrainerMessage } from '../trainer-messages/queries.js'
import type { Who } from './people.js'
import type { ExportedMessage, Pause } from './queries.js'

/** All of a session except its messages and private words, as it is when the export begins. */
export interface SessionFile {
  session: StoredSession
  scenario: FrozenScenario
  places: Participant[]
  cast: CastMember[]
  pauses: Pause[]
  decisions: StoredDecision[]
  notes: StoredNote[]
  ratings: Rated[]
  self_ratings: StoredOwnRating[]
  /** How many private words the file has. */
  words: number
  who: Who
  /** Whether the export has names and user ids. */
  isNamed: boolean
  /** The address of this service for its users; empty if it is not configured. */
  appUrl: string
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
  // The decision that a message ends names a user: a record of its own has it, with the pseudonym.
  return messages.map(({ sender_id, _id: message_id, seq, decides, ...message }) => ({
    record: 'message',
    seq,
    message_id,
    ...who.sender({ sender_id, sender_kind: message.sender_kind }),
    ...message,
    channel_name: names.get(message.conversation_id) ?? null,
  }))
}

export const pauseRecords = (pauses: Pause[]) =>
  pauses.map((pause) => ({ record: 'pause', ...pause }))

/** A trainer who decided on behalf of the participants stays unknown. */
export function decisionRecords({ who, decisions }: SessionFile) {
  return decisions.map(({ made_by, ...decision }) => {
    const { beat, question, options, status, option, on_behalf, reason } = decision
    const { message_id, conversation_id, asked_at, ended_at, asked_offset_ms } = decision
    const maker = on_behalf ? '' : (made_by ?? '')
    return {
      record: 'decision',
      ...who.sender({ sender_id: maker, sender_kind: 'participant' }),
      beat,
      question,
      status,
      option,
      option_label: options.find((one) => one.option === option)?.label ?? null,
      on_behalf,
      reason,
      message_id,
      conversation_id,
      offset_ms: asked_offset_ms,
      asked_at,
      ended_at,
    }
  })
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

export function noteRecords({ who }: SessionFile, notes: StoredNote[]) {
  return notes.map(({ author_id: rater_id, pseudonym, ...note }) => ({
    record: 'note',
    ...who.rater({ rater_id, pseudonym }),
    message_id: note.message_id,
    offset_ms: note.elapsed_ms,
    content: note.content,
    created_at: note.created_at,
  }))
}

/** A record for each value of a participant, and one for their comment. */
export function selfRatingRecords({ who }: SessionFile, ratings: StoredOwnRating[]) {
  return ratings.flatMap(({ assignment_id, values, comment, rated_at }) => {
    const about = { record: 'self_rating', ...who.subject(assignment_id) }
    return [
      ...values.map(({ criterion, value }) => ({
        ...about,
        criterion,
        value,
        comment: null,
        rated_at,
      })),
      ...(comment ? [{ ...about, criterion: null, value: null, comment, rated_at }] : []),
    ]
  })
}

/** Each record names the participant of the conversation, and never the trainer. */
export function wordRecords({ who }: SessionFile, words: TrainerMessage[]) {
  return words.map(({ seq, _id: message_id, assignment_id, ...word }) => ({
    record: 'trainer_message',
    seq,
    message_id,
    ...who.subject(assignment_id),
    from_trainer: word.from_trainer,
    to_all: word.to_all,
    offset_ms: word.elapsed_ms,
    content: word.content,
    created_at: word.created_at,
  }))
}

export const channelNames = ({ conversations }: Pick<StoredSession, 'conversations'>) =>
  new Map(conversations.map(({ conversation_id, channel_name }) => [conversation_id, channel_name]))
