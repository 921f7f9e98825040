import type { AuditEvent } from '../../audit-events/record.js'
import type { Trx } from '../../database/schema.js'
import type { SessionKey } from '../queries.js'
import { sessionEvent } from '../session-events.js'
import { lapseOpen } from './queries.js'

/** Lets the decisions lapse that are open when a session ends. Returns their beats and the events. */
export async function lapseAtEnd(
  trx: Trx,
  { organization_id, _id: session_id }: SessionKey,
  { ended_at, elapsed_ms }: { ended_at: string; elapsed_ms: number | null },
  actor: { actor_type?: 'system' } = {},
): Promise<{ lapsed_beats: string[]; events: AuditEvent[] }> {
  const of = { organization_id, session_id }
  const lapsed_beats = await lapseOpen(trx, of, { ended_at, ended_offset_ms: elapsed_ms ?? 0 })
  const events = lapsed_beats.map((beat) => {
    const details = { ...actor, metadata: { beat, option: null } }
    return sessionEvent({ organization_id, _id: session_id }, 'decision_lapsed', details)
  })
  return { lapsed_beats, events }
}
