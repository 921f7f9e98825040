import { isoTime } from './lists.js'

type Column = '_id' | 'organization_id' | 'category' | 'event_type' | 'status' | 'actor_type'

/** The text that is stored with an event, which PostgreSQL makes of these expressions. */
export function eventDocument(
  event: Record<Column | 'actor_id' | 'request_id' | 'metadata', string>,
): string {
  const { metadata, request_id, ...first } = event
  const now = isoTime('now()')
  const columns = {
    ...first,
    case_id: 'null::text',
    request_id,
    conversation_id: 'null::text',
    channel_id: 'null::text',
    thread_id: 'null::text',
    metadata,
    created_at: now,
    updated_at: now,
  }
  const fields = Object.entries(columns).map(([name, value]) => `'${name}', ${value}`)
  return `json_build_object(${fields.join(', ')})::text`
}
