import type { Schema } from '../contract.js'
import type { Trx } from '../database/schema.js'
import { type Fault, valueFault } from '../faults.js'
import { isId } from '../formats/identifiers.js'
import type { StoredMessage } from '../simulation-sessions/engine/message-queries.js'
import type { LockedSession } from '../simulation-sessions/queries.js'
import { selectThreadRoot } from './queries.js'

type NewMessage = Schema<'NewSessionMessage'>

export type Destination = Pick<StoredMessage, 'conversation_id' | 'channel_id' | 'thread_id'>

/** Returns the conversation and thread of a new message, or the fault in its body. */
export async function destinationOf(
  trx: Trx,
  { organization_id, _id: session_id, conversations }: LockedSession,
  { conversation_id, thread_id }: NewMessage,
): Promise<Destination | Fault> {
  const conversation = conversations.find((one) => one.conversation_id === conversation_id)
  if (!conversation)
    return valueFault(
      ['body', 'conversation_id'],
      'unknown_conversation',
      'is not one of the session',
    )
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
    return valueFault(
      ['body', 'thread_id'],
      'not_a_thread',
      'is not the first message of a thread there',
    )
  }
  return { conversation_id, channel_id, thread_id }
}
