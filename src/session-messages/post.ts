import type { Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import { clientMessageIdUsed } from '../errors.js'
import { validationFailed } from '../faults.js'
import { createId } from '../formats/identifiers.js'
import { elapsedMs } from '../simulation-sessions/clock/clock.js'
import type { StoredMessage } from '../simulation-sessions/engine/message-queries.js'
import { selectUnanswered } from '../simulation-sessions/expectation-queries.js'
import type { LockedSession } from '../simulation-sessions/queries.js'
import type { SessionPart } from '../simulation-sessions/team/part-queries.js'
import { type Destination, destinationOf } from './destination.js'
import { type ShownMessage, selectPosted } from './queries.js'
import { namedCharacter, requireVoice, type Speaker, speakerOf } from './sender.js'

type NewMessage = Schema<'NewSessionMessage'>

/**
 * Returns the message that the caller has already posted with this `client_message_id`. Throws 409 if
 * its content differs, so that the new message is not lost silently.
 */
export async function postedBefore(
  trx: Trx,
  { organization_id, _id: session_id }: LockedSession,
  author_id: string,
  body: NewMessage,
): Promise<ShownMessage | undefined> {
  const { client_message_id } = body
  const key = { organization_id, session_id, author_id, client_message_id }
  const [before] = await selectPosted(trx, key)
  if (before && !isSame(before, body, author_id)) throw clientMessageIdUsed()
  return before
}

function isSame(before: ShownMessage, body: NewMessage, author_id: string): boolean {
  const character = namedCharacter(body, author_id)
  return (
    before.content === body.content &&
    before.conversation_id === body.conversation_id &&
    before.thread_id === (body.thread_id || null) &&
    (character ? before.sender_id === character : !before.injected)
  )
}

/** Returns the next message of a locked session. Throws 409 or 422 if the caller may not post it. */
export async function composeMessage(
  trx: Trx,
  session: LockedSession,
  part: SessionPart,
  author_id: string,
  body: NewMessage,
): Promise<StoredMessage> {
  const character = namedCharacter(body, author_id)
  requireVoice(session, part, character)
  const destination = await destinationOf(trx, session, body)
  const speaker = speakerOf(author_id, part, session.cast_ids, character)
  const faults = [destination, speaker].flatMap((one) => ('loc' in one ? one : []))
  if ('loc' in destination || 'loc' in speaker) throw validationFailed(faults)
  if (speaker.sender_kind === 'participant') requireShort(body.content)
  return {
    organization_id: session.organization_id,
    session_id: session._id,
    seq: session.last_seq + 1,
    _id: createId(),
    ...destination,
    plan_position: null,
    ...speaker,
    author_id,
    client_message_id: body.client_message_id,
    content: body.content,
    kind: null,
    beat: null,
    expectation: null,
    artefact: null,
    decides: null,
    answers: await answersOf(trx, session, destination, speaker),
    // A running session has a clock.
    offset_ms: elapsedMs(session, session.now) ?? 0,
    posted_at: session.now,
  }
}

/** How many characters participants write at most, as in NewTrainerMessage. Characters may say more. */
const longest = 4_000

function requireShort(content: string): void {
  if (content.length <= longest || [...content].length <= longest) return
  const msg = `String should have at most ${longest} characters`
  throw validationFailed([{ loc: ['body', 'content'], msg, type: 'string_too_long' }])
}

/**
 * Returns the ids of the messages that a new message is the first to answer. The session is locked,
 * so no other answer can come first.
 */
async function answersOf(
  trx: Trx,
  { organization_id, _id: session_id }: LockedSession,
  { thread_id }: Destination,
  { sender_kind }: Speaker,
): Promise<string[]> {
  if (thread_id === null || sender_kind !== 'participant') return []
  const asked = await selectUnanswered(trx, { organization_id, session_id, thread_id })
  return asked.map(({ _id }) => _id)
}
