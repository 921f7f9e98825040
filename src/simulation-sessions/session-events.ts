import type { AuditEvent } from '../audit-events/record.js'
import type { SessionKey } from './queries.js'

type Details = Pick<AuditEvent, 'actor_type' | 'changes' | 'metadata' | 'status'>

/** An audit event about a session. */
export function sessionEvent(
  { organization_id, _id: case_id }: SessionKey,
  event_type: string,
  details: Details = {},
): AuditEvent {
  return { organization_id, category: 'simulation_session', event_type, case_id, ...details }
}

interface MessageReference {
  _id: string
  conversation_id: string
  channel_id: string
  thread_id: string | null
}

/** An audit event about a message, with its channel, conversation and thread. */
export function messageEvent(
  session: SessionKey,
  event_type: string,
  { _id, conversation_id, channel_id, thread_id }: MessageReference,
  { metadata, ...details }: Details = {},
): AuditEvent {
  return {
    ...sessionEvent(session, event_type, details),
    conversation_id,
    channel_id,
    thread_id: thread_id ?? _id,
    metadata: { message_id: _id, ...metadata },
  }
}
