import type { Schema } from '../../../contract.js'
import { inOneLine, jsonLine } from '../../../process/json-line.js'
import { elapsedMs } from '../../../simulation-sessions/clock/clock.js'
import { messageText } from '../../message.js'
import type { ShownMessage } from '../../queries.js'
import type { FollowedExpectation } from './expectations.js'
import type { PlacePresence } from './presence-queries.js'
import type { SessionState } from './queries.js'
import type { Place } from './team-queries.js'

/**
 * Returns a message as a server-sent event (WHATWG HTML, 9.2), and after it an event for the decision that
 * it asks for or ends, and for each message that it answers. `data` is one line.
 */
export const messageFrame = (seesAll: boolean, row: ShownMessage) =>
  `id: ${row.seq}\nevent: message\ndata: ${inOneLine(messageText(seesAll, row))}\n\n${decisionFrames(row)}${answerFrames(row)}`

function decisionFrames({ session_id, _id, seq, posted_at: at, ...row }: ShownMessage): string {
  const { expectation, decides } = row
  const about = { session_id, message_id: _id, seq, at }
  const asked = expectation?.decision
  return [
    ...(asked ? [decisionFrame({ ...about, ...undecided, beat: asked.beat, status: 'open' })] : []),
    ...(decides ? [decisionFrame({ ...about, ...decides })] : []),
  ].join('')
}

const undecided = { option: null, made_by: null, on_behalf: false, reason: null }

const decisionFrame = (data: Schema<'DecisionEvent'>) =>
  `event: decision\ndata: ${jsonLine(data)}\n\n`

/** The decisions that the end of a session has ended. They have no message. */
export function lapsedFrames(session_id: string, state: SessionState): string {
  const { lapsed_beats, last_seq: seq, ended_at, now } = state
  const about = { session_id, message_id: null, seq, at: ended_at ?? now }
  return lapsed_beats
    .map((beat) => decisionFrame({ ...about, ...undecided, beat, status: 'lapsed' }))
    .join('')
}

function answerFrames(row: ShownMessage): string {
  const { session_id, _id: answered_message_id, posted_at: answered_at, answers } = row
  const answered_by = row.decides?.made_by ?? row.sender_id
  const answer = { answered_by, answered_message_id, answered_at }
  const frames = answers.map((message_id) => {
    return eventFrame({ session_id, message_id, status: 'answered', due_at: null, ...answer })
  })
  return frames.join('')
}

const unanswered = { answered_by: null, answered_message_id: null, answered_at: null }

/** Has no id: a reader who reconnects gets what is open. */
export const expectationFrame = (
  session_id: string,
  { message_id, status, due_at }: FollowedExpectation,
) => eventFrame({ session_id, message_id, status, due_at, ...unanswered })

const eventFrame = (data: Schema<'ExpectationEvent'>) =>
  `event: expectation\ndata: ${jsonLine(data)}\n\n`

/** Has no id: a reader who reconnects gets the status in any case. */
export function statusFrame(state: SessionState): string {
  const { status, speed, now: at } = state
  const data: Schema<'StatusEvent'> = { status, elapsed_ms: elapsedMs(state, at), speed, at }
  return `event: status\ndata: ${jsonLine(data)}\n\n`
}

/** The state of one session and its counts, for readers of all sessions. */
export function sessionFrame(
  session_id: string,
  state: SessionState,
  { words, expectations }: { words: { seq: number }; expectations: { open: number } },
): string {
  const { name, status, speed, now: at, last_seq: messages } = state
  const clock = { elapsed_ms: elapsedMs(state, at), speed, at }
  const counts = { messages, open_expectations: expectations.open, trainer_messages: words.seq }
  const data: Schema<'SessionStateEvent'> = { session_id, name, status, ...clock, ...counts }
  return `event: session\ndata: ${jsonLine(data)}\n\n`
}

export function participantFrame({ session_id, _id: assignment_id, ...place }: Place): string {
  const { user_id, role_key, joined_at, left_at, removed_at } = place
  const when = { joined_at, left_at, removed_at }
  const data: Schema<'ParticipantEvent'> = { session_id, assignment_id, user_id, role_key, ...when }
  return `event: participant\ndata: ${jsonLine(data)}\n\n`
}

/** Has no id: a reader who reconnects lists private words again. */
export function trainerMessageFrame(word: Schema<'TrainerMessage'>): string {
  const { _id, seq, session_id, assignment_id, sender_id, sender_name, from_trainer, to_all } = word
  const { client_message_id, content, elapsed_ms, created_at } = word
  const sender = { sender_id, sender_name, from_trainer, to_all, client_message_id }
  const data: Schema<'TrainerMessage'> = {
    _id,
    seq,
    session_id,
    assignment_id,
    ...sender,
    content,
    elapsed_ms,
    created_at,
  }
  return `event: trainer_message\ndata: ${jsonLine(data)}\n\n`
}

/** Only trainers may get it. */
export function presenceFrame(place: PlacePresence): string {
  const { session_id, assignment_id, user_id, online, since } = place
  const data: Schema<'PresenceEvent'> = { session_id, assignment_id, user_id, online, since }
  return `event: presence\ndata: ${jsonLine(data)}\n\n`
}

/** How long a browser waits before it opens a stream again. */
export const retryField = 'retry: 2000\n'

/** Why the service ends a stream. */
export type StreamEnd = Exclude<Schema<'StreamEndReason'>, 'token_expired'>

/** The last event of a stream. With an `id`, a reader who reconnects gets a 204. */
export const endFrame = (reason: StreamEnd, id: number | null) =>
  `${id === null ? '' : `id: ${id}\n`}event: end\ndata: ${jsonLine({ reason })}\n\n`

/** The last event of a stream whose reader must reconnect with another access token. */
export const tokenExpiredFrame = 'event: token_expired\ndata: {"reason":"token_expired"}\n\n'
