import type { StoredSession } from '../queries.js'

type Clocked = Pick<StoredSession, 'anchor_at' | 'paused_at' | 'ended_at' | 'speed'>

/**
 * The elapsed time on a session's clock in simulated milliseconds; null before the start. The anchor is the
 * instant at which the clock was at zero. A resume moves the anchor by the length of the pause, and a new
 * speed so that the clock stays where it stands; the plan stays as it is.
 */
export function elapsedMs(session: Clocked, now: string): number | null {
  const { anchor_at, paused_at, ended_at, speed } = session
  if (anchor_at === null) return null
  const passed = Date.parse(paused_at ?? ended_at ?? now) - Date.parse(anchor_at)
  // Sessions of earlier builds may have ended on a clock that was set back.
  return Math.max(0, passed) * speed
}

/** The anchor with which a paused clock stands where it does, at another speed. It never goes back. */
export function anchorFor(session: Clocked & { now: string }, speed: number): string {
  const { paused_at, now } = session
  const elapsed_ms = elapsedMs(session, now) ?? 0
  return movedBy(paused_at ?? now, -Math.ceil(elapsed_ms / speed))
}

/** When the clock reaches an offset, without further pauses. A negative offset counts as zero. */
export function reachedAt(anchor_at: string, offset_ms: number, speed: number): string {
  const after = Math.max(0, Math.ceil(offset_ms / speed))
  return new Date(Date.parse(anchor_at) + after).toISOString()
}

/** How much real time is left until an offset when a clock that stands still goes on. */
export function leftUntil(session: Clocked & { now: string }, offset_ms: number): number {
  const elapsed_ms = elapsedMs(session, session.now) ?? 0
  return Math.max(0, Math.ceil((offset_ms - elapsed_ms) / session.speed))
}

type Ending = Pick<StoredSession, 'status' | 'anchor_at' | 'end_offset_ms' | 'speed'>

/** When the clock ends a session; null while the clock is stopped, and for a session without an end. */
export function endsAt({ status, anchor_at, end_offset_ms, speed }: Ending): string | null {
  if (status !== 'running' || anchor_at === null || end_offset_ms === null) return null
  return reachedAt(anchor_at, end_offset_ms, speed)
}

/**
 * Whether everyone may see when a session ends. If the plan decides the end, it would give away the
 * arm, because each arm has its own plan.
 */
export const endIsOpen = ({
  timing,
  ends_after_minutes,
}: Pick<StoredSession, 'timing' | 'ends_after_minutes'>) =>
  timing === 'drill' || ends_after_minutes !== null

type Waiting = Pick<
  StoredSession,
  'starts_at' | 'anchor_at' | 'speed' | 'next_offset_ms' | 'next_due_at'
>

/** When the next line or the end is due. Unlike `next_due_at` without the backoff after failures. */
export function dueAt(session: Waiting): string | null {
  const { starts_at, anchor_at, speed, next_offset_ms, next_due_at } = session
  if (next_due_at === null) return null
  if (anchor_at === null || next_offset_ms === null) return starts_at
  return reachedAt(anchor_at, next_offset_ms, speed)
}

/** A time moved by some milliseconds. */
export function movedBy(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString()
}

/** When the engine has work in a session next, given the offset of the next line. */
export function nextOf(
  {
    anchor_at,
    speed,
    end_offset_ms,
  }: { anchor_at: string } & Pick<StoredSession, 'speed' | 'end_offset_ms'>,
  line_ms: number | null,
) {
  const offsets = [line_ms, end_offset_ms].filter((offset) => offset !== null)
  if (offsets.length === 0) return { next_offset_ms: null, next_due_at: null }
  const next_offset_ms = Math.min(...offsets)
  return { next_offset_ms, next_due_at: reachedAt(anchor_at, next_offset_ms, speed) }
}
