import { durationOf, say } from '../words/words.js'
import type { DeskRoom } from './desk-room.js'

/** How much time is left until an instant. Beside a faster clock it says that this is real time. */
export const leftUntil = ({ clock }: DeskRoom, instant: string): string =>
  say(clock.speed.value > 1 ? 'lead.leftReal' : 'lead.left', {
    time: durationOf(clock.until(instant)),
  })

/** A duration on a real clock. Beside a faster clock it says so. */
export const realTime = ({ clock }: DeskRoom, ms: number): string =>
  clock.speed.value > 1 ? say('lead.realTime', { time: durationOf(ms) }) : durationOf(ms)

/** The minute of the session at which what a message asks ends. */
export function endOf({ messages }: DeskRoom, message_id: string, minutes: number): string {
  const asked = messages.byId.value.get(message_id)
  if (!asked) return ''
  return say('lead.endsAt', { minute: Math.round(asked.offset_ms / 60_000 + minutes) })
}

/**
 * How many real milliseconds lie between two times of the session's clock, without pauses. It counts with the
 * speed that the session had at each time, and with the present one for the time to come.
 */
export function runBetween({ clock, session }: DeskRoom, from_ms: number, to_ms: number): number {
  let at = from_ms
  let run = 0
  for (const { speed_change } of session.value.value?.deviations ?? []) {
    const until = Math.min(speed_change?.elapsed_ms ?? 0, to_ms)
    if (!speed_change || until <= at) continue
    run += (until - at) / speed_change.speed_before
    at = until
  }
  return run + (to_ms - at) / clock.speed.value
}
