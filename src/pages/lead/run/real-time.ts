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

/** For how many real milliseconds the session has run since a time on its clock, without pauses. */
export const runSince = ({ clock }: DeskRoom, offset_ms: number): number =>
  ((clock.elapsed.value ?? 0) - offset_ms) / clock.speed.value
