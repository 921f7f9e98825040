import type { Generated } from 'kysely'
import type { Schema } from '../../contract.js'
import type { Json, NullableTimestamp, Timestamp } from './columns.js'

export interface SessionAssignmentTable {
  organization_id: string
  _id: string
  session_id: string
  user_id: string
  role_key: string | null
  pseudonym: string
  joined_at: NullableTimestamp
  left_at: NullableTimestamp
  /** The consent text that the participant agreed to at `joined_at`; null without one. */
  consent_version: number | null
  consent_sha256: string | null
  /** When the participant was taken out, after the start of the session. */
  removed_at: NullableTimestamp
  last_spoke_at: NullableTimestamp
  /** When their last stream closed; null if none was open yet. */
  last_online_at: NullableTimestamp
  /** Bytes of the messages and private words that the participant has sent. */
  stored_bytes: Generated<number>
  /** The last change of the team that changed this place. */
  team_seq: Generated<number>
  created_at: Timestamp
}

/** The newest link with which a place can be taken. Older links are not valid. */
export interface SeatLinkTable {
  organization_id: string
  session_id: string
  assignment_id: string
  token_hash: string
  created_at: Timestamp
  created_by: string | null
  revoked_at: NullableTimestamp
  /** When the place was last taken with it. */
  taken_at: NullableTimestamp
}

/** A participant with a stream open in a process. */
export interface StreamPresenceTable {
  organization_id: string
  session_id: string
  user_id: string
  process_id: string
  since: Timestamp
}

/** A process with participants' streams. It is there while it renews its row. */
export interface StreamProcessTable {
  process_id: string
  renewed_at: Timestamp
}

export interface SessionRatingTable {
  organization_id: string
  session_id: string
  rater_id: string
  /** The rater's pseudonym in all sessions of the organization. */
  pseudonym: string
  /** The place of the rated participant, or `team`. */
  subject: string
  criterion: string
  value: Json<number | boolean | string>
  comment: string | null
  rated_at: Timestamp
}

/** How a participant rates themself. */
export interface OwnRatingTable {
  organization_id: string
  session_id: string
  assignment_id: string
  values: Json<Schema<'OwnRatingValue'>[]>
  comment: string | null
  rated_at: Timestamp
}

export interface SessionNoteTable {
  organization_id: string
  _id: string
  session_id: string
  author_id: string
  /** The author's pseudonym in all sessions of the organization, also as a rater. */
  pseudonym: string
  content: string
  message_id: string | null
  /** When it was taken, on the session's clock; null before the start. */
  elapsed_ms: number | null
  created_at: Timestamp
}

export interface TrainerMessageTable {
  organization_id: string
  session_id: string
  /** The number of the message in its session. */
  seq: number
  _id: string
  /** The place of the participant who exchanges words with the trainers. */
  assignment_id: string
  sender_id: string
  from_trainer: boolean
  /** Whether a trainer sends the same words to all participants. */
  to_all: Generated<boolean>
  client_message_id: string | null
  content: string
  /** The time on the session's clock; null before its start. */
  elapsed_ms: number | null
  created_at: Timestamp
}
