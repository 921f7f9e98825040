import type { Schema } from '../../contract.js'
import { sessionEnded, sessionStarted } from '../../errors.js'
import { inUtc } from '../../formats/timestamps.js'
import { mergeMetadata } from '../../updates.js'
import { hasStarted } from '../lifecycle.js'
import type { StoredSession } from '../queries.js'

type Update = Schema<'SessionUpdate'>

/** The fields of a session that people edit. */
type Definition = Pick<
  StoredSession,
  | 'name'
  | 'timing'
  | 'speed'
  | 'mode'
  | 'status'
  | 'starts_at'
  | 'ends_after_minutes'
  | 'rater_ids'
  | 'metadata'
>

const fixedAtStart = ['name', 'timing', 'speed', 'mode', 'starts_at', 'ends_after_minutes'] as const

/** Throws 409 if an update changes a field that is fixed since the start or the end. */
export function requireUnstarted(session: StoredSession, update: Update): void {
  if (!hasStarted(session)) return
  const wanted = applyUpdate(session, update)
  if (fixedAtStart.some((field) => wanted[field] !== session[field])) {
    throw (session.started_at ? sessionStarted : sessionEnded)(session.status)
  }
}

/** The session after an update. Null leaves a field as it is. */
export function applyUpdate(stored: StoredSession, update: Update): Definition {
  const starts_at = update.starts_at ? inUtc(update.starts_at) : stored.starts_at
  return {
    name: update.name ?? stored.name,
    timing: update.timing ?? stored.timing,
    speed: update.speed ?? stored.speed,
    mode: update.mode ?? stored.mode,
    status: stored.status === 'draft' && starts_at !== null ? 'scheduled' : stored.status,
    starts_at,
    ends_after_minutes: update.ends_after_minutes ?? stored.ends_after_minutes,
    rater_ids: update.rater_ids ? [...new Set(update.rater_ids)] : stored.rater_ids,
    metadata: update.metadata ? mergeMetadata(stored.metadata, update.metadata) : stored.metadata,
  }
}
