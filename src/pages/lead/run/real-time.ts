import { durationOf, say } from '../../shared/words/words.js'
import type { DeskRoom } from './desk-room.js'

/** How much time is left until an instant. Beside a faster clock it says that this is real time. */
export const leftUntil = ({ clock }: DeskRoom, instant: string): string =>
  say(clock.speed.value > 1 ? 'lead.leftReal' : 'lead.left', {
    time: durationOf(clock.until(instant)),
  })

/** For how long the session has run since a time on its clock. Pauses do not count. */
export const runSince = ({ clock }: DeskRoom, offset_ms: number): string =>
  durationOf(((clock.elapsed.value ?? 0) - offset_ms) / clock.speed.value)
