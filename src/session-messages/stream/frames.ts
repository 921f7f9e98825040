import type { Schema } from '../../contract.js'
import { elapsedMs } from '../../simulation-sessions/clock.js'
import type { StoredMessage } from '../../simulation-sessions/engine/message-queries.js'
import { messageText } from '../message.js'
import type { SessionState } from './queries.js'
import type { Place } from './team-queries.js'

/**
 * Returns a message as a server-sent event (WHATWG HTML, 9.2), and after it an event for each message
 * that it answers. JSON has no line breaks, so `data` is one line.
 */
export const messageFrame = (seesAll: boolean, row: StoredMessage) =>
  `id: ${row.seq}\nevent: message\ndata: ${messageText(seesAll, row)}\n\n${answerFrames(row)}`

function answerFrames(row: StoredMessage): string {
  const { session_id, _id: answered_message_id, posted_at: answered_at, answers } = row
  const answer = { answered_by: row.sender_id, answered_message_id, answered_at }
  const frames = answers.map((message_id) => {
    const data: Schema<'ExpectationEvent'> = {
      session_id,
      message_id,
      status: 'answered',
      ...answer,
    }
    return `event: expectation\ndata: ${JSON.stringify(data)}\n\n`
  })
  return frames.join('')
}

/** Has no id: a reader who reconnects gets the status in any case. */
export function statusFrame(state: SessionState): string {
  const { status, speed, now: at } = state
  const data: Schema<'StatusEvent'> = { status, elapsed_ms: elapsedMs(state, at), speed, at }
  return `event: status\ndata: ${JSON.stringify(data)}\n\n`
}

/** The state of one session, for readers of all sessions of an organization. */
export function sessionFrame(session_id: string, state: SessionState): string {
  const { name, status, speed, now: at, last_seq: messages } = state
  const clock = { elapsed_ms: elapsedMs(state, at), speed, at }
  const data: Schema<'SessionStateEvent'> = { session_id, name, status, ...clock, messages }
  return `event: session\ndata: ${JSON.stringify(data)}\n\n`
}

export function participantFrame({ session_id, _id: assignment_id, ...place }: Place): string {
  const { user_id, role_key, joined_at, left_at, removed_at } = place
  const when = { joined_at, left_at, removed_at }
  const data: Schema<'ParticipantEvent'> = { session_id, assignment_id, user_id, role_key, ...when }
  return `event: participant\ndata: ${JSON.stringify(data)}\n\n`
}

/** How long a browser waits before it opens a stream again. */
export const retryField = 'retry: 2000\n'

/** Why the service ends a stream. */
export type StreamEnd = Exclude<Schema<'StreamEndReason'>, 'token_expired'>

/** The last event of a stream. With an `id`, a reader who reconnects gets a 204. */
export const endFrame = (reason: StreamEnd, id: number | null) =>
  `${id === null ? '' : `id: ${id}\n`}event: end\ndata: ${JSON.stringify({ reason })}\n\n`

/** The last event of a stream whose reader must reconnect with another access token. */
export const tokenExpiredFrame = 'event: token_expired\ndata: {"reason":"token_expired"}\n\n'
