import type { Schema } from '../contract.js'
import type { StoredMessage } from '../simulation-sessions/message-queries.js'

type Message = Schema<'SessionMessage'>

const minuteMs = 60_000

/**
 * A message as those who lead see it, or as those who take part do: they are not told whether the
 * plan, a bot or a trainer speaks as a character, also not by a line's place on the clock.
 */
export function messageFor(seesAll: boolean, row: StoredMessage): Message {
  const isHidden = !seesAll && row.sender_kind === 'character'
  return {
    seq: row.seq,
    _id: row._id,
    session_id: row.session_id,
    conversation_id: row.conversation_id,
    channel_id: row.channel_id,
    thread_id: row.thread_id,
    sender_id: row.sender_id,
    sender_kind: row.sender_kind,
    injected: seesAll ? row.injected : null,
    content: row.content,
    kind: seesAll ? row.kind : null,
    beat: seesAll ? row.beat : null,
    expectation: row.expectation,
    plan_position: seesAll ? row.plan_position : null,
    client_message_id: isHidden ? null : row.client_message_id,
    offset_ms: seesAll ? row.offset_ms : Math.floor(row.offset_ms / minuteMs) * minuteMs,
    posted_at: row.posted_at,
  }
}

/** As an answer has it, and an event of the stream. */
export const messageText = (seesAll: boolean, row: StoredMessage) =>
  JSON.stringify(messageFor(seesAll, row))
