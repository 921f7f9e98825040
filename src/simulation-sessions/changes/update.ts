import { type AuditEvent, changesBetween } from '../../audit-events/record.js'
import type { Schema } from '../../contract.js'
import { sessionEnded, sessionStarted } from '../../errors.js'
import { inUtc } from '../../formats/timestamps.js'
import { mergeMetadata, updatedValue } from '../../updates.js'
import { anchorFor, elapsedMs } from '../clock/clock.js'
import { deviationsWith } from '../deviations.js'
import { hasStarted, isWaiting } from '../lifecycle.js'
import type { LockedSession, SessionChange, StoredSession } from '../queries.js'
import { sessionEvent } from '../session-events.js'

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

const fixedAtStart = ['name', 'timing', 'mode', 'starts_at', 'ends_after_minutes'] as const

/** Throws 409 if an update changes a field that is fixed since the start or the end. */
export function requireChangeable(session: StoredSession, wanted: Definition): void {
  if (!hasStarted(session)) return
  const isChanged = (field: keyof Definition) => wanted[field] !== session[field]
  if (fixedAtStart.some(isChanged) || (session.status !== 'paused' && isChanged('speed'))) {
    throw (session.started_at ? sessionStarted : sessionEnded)(session.status)
  }
}

/** The session after an update. Null leaves a field as it is. */
export function applyUpdate(stored: StoredSession, update: Update): Definition {
  const wanted = updatedValue(stored.starts_at, update, 'starts_at')
  const starts_at = wanted && inUtc(wanted)
  return {
    name: update.name ?? stored.name,
    timing: update.timing ?? stored.timing,
    speed: update.speed ?? stored.speed,
    mode: update.mode ?? stored.mode,
    status: isWaiting(stored) ? (starts_at ? 'scheduled' : 'draft') : stored.status,
    starts_at,
    ends_after_minutes: updatedValue(stored.ends_after_minutes, update, 'ends_after_minutes'),
    rater_ids: update.rater_ids ? [...new Set(update.rater_ids)] : stored.rater_ids,
    metadata: update.metadata ? mergeMetadata(stored.metadata, update.metadata) : stored.metadata,
  }
}

/** What else changes with the speed of a paused session. */
export function changesWithSpeed(session: LockedSession, speed: number): SessionChange {
  if (session.status !== 'paused' || speed === session.speed) return {}
  const elapsed_ms = elapsedMs(session, session.now) ?? 0
  const speed_change = { elapsed_ms, speed_before: session.speed }
  return {
    anchor_at: anchorFor(session, speed),
    deviations: deviationsWith(session, 'speed_changed', { speed_change }),
  }
}

/** The audit events of an update, one for each kind of change. */
export function updateEvents(before: StoredSession, wanted: Definition): AuditEvent[] {
  const { status, ...changes } = changesBetween(before, wanted)
  const events: AuditEvent[] = []
  if (Object.keys(changes).length > 0) {
    events.push(sessionEvent(before, 'session_updated', { changes }))
  }
  if (status) {
    const event_type = wanted.status === 'scheduled' ? 'session_scheduled' : 'session_unscheduled'
    events.push(sessionEvent(before, event_type, { changes: { status } }))
  }
  return events
}
