import type { Transaction } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { clientMessageIdUsed, type Fault, validationFailed, valueFault } from '../errors.js'
import { createId, isId } from '../identifiers.js'
import { elapsedMs } from '../simulation-sessions/clock.js'
import type { Part } from '../simulation-sessions/find-session.js'
import {
  type StoredMessage,
  selectMessageByClientId,
  selectThreadRoot,
} from '../simulation-sessions/message-queries.js'
import type { LockedSession } from '../simulation-sessions/queries.js'
import { namedCharacter, requireVoice, speakerOf } from './sender.js'

type Trx = Transaction<Database>
type NewMessage = Schema<'NewSessionMessage'>

/**
 * The message that the caller has posted under this id already. Throws 409 where that was another
 * message, so that none is lost.
 */
export async function postedBefore(
  trx: Trx,
  { organization_id, _id: session_id }: LockedSession,
  author_id: string,
  body: NewMessage,
): Promise<StoredMessage | undefined> {
  const { client_message_id } = body
  const place = { organization_id, session_id }
  const before = await selectMessageByClientId(trx, place, { author_id, client_message_id })
  if (before && !isSame(before, body, author_id)) throw clientMessageIdUsed()
  return before
}

function isSame(before: StoredMessage, body: NewMessage, author_id: string): boolean {
  const character = namedCharacter(body, author_id)
  return (
    before.content === body.content &&
    before.conversation_id === body.conversation_id &&
    before.thread_id === (body.thread_id || null) &&
    (character ? before.sender_id === character : !before.injected)
  )
}

/** The next message of a locked session. Throws where it cannot be said, or not so. */
export async function composeMessage(
  trx: Trx,
  session: LockedSession,
  part: Part,
  author_id: string,
  body: NewMessage,
): Promise<StoredMessage> {
  const character = namedCharacter(body, author_id)
  requireVoice(session, part, character)
  const place = await placeOf(trx, session, body)
  const speaker = speakerOf(author_id, part, session.cast_ids, character)
  const faults = [place, speaker].flatMap((one) => ('loc' in one ? one : []))
  if ('loc' in place || 'loc' in speaker) throw validationFailed(faults)
  return {
    ...{ organization_id: session.organization_id, session_id: session._id },
    ...{ seq: session.last_seq + 1, _id: createId() },
    ...place,
    plan_position: null,
    ...speaker,
    author_id,
    client_message_id: body.client_message_id,
    content: body.content,
    ...{ kind: null, beat: null, expectation: null },
    // A running session has a clock.
    offset_ms: elapsedMs(session, session.now) ?? 0,
    posted_at: session.now,
  }
}

type Place = Pick<StoredMessage, 'conversation_id' | 'channel_id' | 'thread_id'>

/** Where a message is to stand, or what is wrong with that. */
async function placeOf(
  trx: Trx,
  { organization_id, _id: session_id, conversations }: LockedSession,
  { conversation_id, thread_id }: NewMessage,
): Promise<Place | Fault> {
  const conversation = conversations.find((one) => one.conversation_id === conversation_id)
  if (!conversation) return valueFault(['body', 'conversation_id'], 'is not one of the session')
  const { channel_id } = conversation
  if (!thread_id) return { conversation_id, channel_id, thread_id: null }
  const root =
    isId(thread_id) &&
    (await selectThreadRoot(
      trx,
      { organization_id, session_id },
      { _id: thread_id, conversation_id },
    ))
  if (!root) {
    return valueFault(['body', 'thread_id'], 'is not the first message of a thread there')
  }
  return { conversation_id, channel_id, thread_id }
}
