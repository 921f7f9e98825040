import type { Schema } from '../contract.js'
import { minuteMs } from '../process/clock.js'
import type { ShownMessage } from './queries.js'

type Message = Schema<'SessionMessage'>

/**
 * Returns a message with all fields for trainers, or reduced for participants. Participants must not
 * find out whether the plan, a bot or a trainer speaks as a character, also not from the exact time. Only
 * a decision that a trainer records on their behalf says so.
 */
export function messageFor(seesAll: boolean, row: ShownMessage): Message {
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
    // Expectations from before decisions were kept lack the field.
    expectation: row.expectation && {
      ...row.expectation,
      decision: row.expectation.decision ?? null,
    },
    artefact: row.artefact,
    decides: row.decides,
    answers: row.answers,
    plan_position: seesAll ? row.plan_position : null,
    client_message_id: isHidden ? null : row.client_message_id,
    offset_ms: seesAll ? row.offset_ms : Math.floor(row.offset_ms / minuteMs) * minuteMs,
    posted_at: row.posted_at,
  }
}

export const messageText = (seesAll: boolean, row: ShownMessage) =>
  JSON.stringify(messageFor(seesAll, row))
