import type { LockedSession } from '../queries.js'
import { type DueLine, isPosted } from './due-lines.js'
import type { StoredMessage } from './message-queries.js'

/** Returns the messages of the posted lines, in their order, each with the next `seq`. */
export function messagesOf(
  { last_seq, now: posted_at }: Pick<LockedSession, 'last_seq' | 'now'>,
  lines: DueLine[],
): StoredMessage[] {
  return lines.filter(isPosted).map(({ entry, _id, thread_id, decides }, i) => {
    const { organization_id, session_id, position: plan_position } = entry
    const { conversation_id, channel_id, sender_id, content, kind, beat } = entry
    return {
      organization_id,
      session_id,
      seq: last_seq + 1 + i,
      _id,
      conversation_id,
      channel_id,
      thread_id,
      plan_position,
      sender_id,
      sender_kind: 'character',
      author_id: null,
      client_message_id: null,
      injected: false,
      content,
      kind,
      beat,
      expectation: entry.expectation,
      artefact: entry.artefact,
      decides,
      answers: [],
      offset_ms: entry.offset_ms,
      posted_at,
    }
  })
}
