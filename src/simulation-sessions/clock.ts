import type { StoredSession } from './queries.js'

type Clocked = Pick<StoredSession, 'anchor_at' | 'paused_at' | 'ended_at' | 'speed'>

/**
 * Where a session's clock stands, in simulated milliseconds since the start; null before it. The clock
 * is one instant, the anchor, at which it stood at zero: a pause moves that, and the plan never.
 */
export function elapsedMs(session: Clocked, now: string): number | null {
  const { anchor_at, paused_at, ended_at, speed } = session
  if (anchor_at === null) return null
  return (Date.parse(paused_at ?? ended_at ?? now) - Date.parse(anchor_at)) * speed
}

/** When a place on the clock is reached, if nobody pauses before; history with the start. */
export function reachedAt(anchor_at: string, offset_ms: number, speed: number): string {
  const after = Math.max(0, Math.ceil(offset_ms / speed))
  return new Date(Date.parse(anchor_at) + after).toISOString()
}

type Waiting = Pick<
  StoredSession,
  'starts_at' | 'anchor_at' | 'speed' | 'next_offset_ms' | 'next_due_at'
>

/** When what comes next is due, however long what cannot go on is left alone after that. */
export function dueAt(session: Waiting): string | null {
  const { starts_at, anchor_at, speed, next_offset_ms, next_due_at } = session
  if (next_due_at === null) return null
  if (anchor_at === null || next_offset_ms === null) return starts_at
  return reachedAt(anchor_at, next_offset_ms, speed)
}

/** The anchor after the clock stood still for a while. */
export function movedBy(anchor_at: string, ms: number): string {
  return new Date(Date.parse(anchor_at) + ms).toISOString()
}

/** When a session has something to do next, with the place on its clock of its next line. */
export function nextOf(
  {
    anchor_at,
    speed,
    end_offset_ms,
  }: { anchor_at: string } & Pick<StoredSession, 'speed' | 'end_offset_ms'>,
  line_ms: number | null,
) {
  const places = [line_ms, end_offset_ms].filter((place) => place !== null)
  if (places.length === 0) return { next_offset_ms: null, next_due_at: null }
  const next_offset_ms = Math.min(...places)
  return { next_offset_ms, next_due_at: reachedAt(anchor_at, next_offset_ms, speed) }
}
