import type { Schema } from '../../../shared/forms/schema.js'
import { minuteOf } from '../../../shared/room/minute.js'
import type { Room } from '../../../shared/room/room.js'
import { durationOf, say } from '../../../shared/words/words.js'
import { mayDecide } from './deadlines.js'

/** Who decides, as the reader is told. A question without a decision is for the whole team. */
export function whomFor({ briefing }: Room, decision: Schema<'SessionDecision'> | null): string {
  if (decision === null) return say('asked.for_team')
  const { decided_by } = decision
  if (decided_by.length === 0) return say('decision.anyone')
  if (mayDecide(decision, briefing.value?.role?.role_key)) return say('decision.you')
  const names = briefing.value?.participants
    .filter(({ role_key }) => role_key !== null && decided_by.includes(role_key))
    .map(({ role_title, display_name }) => `${display_name} (${role_title ?? ''})`)
    .join(', ')
  return say('decision.others', { names: names || say('decision.not_played') })
}

/** The minute until which there is time, where the session's clock runs faster than a real one. */
export const untilMinute = ({ clock }: Room, at: string | null) =>
  at === null || clock.speed.value === 1 ? null : minuteOf(clock.elapsedAt(at))

interface Ending {
  at: string | null
  left_ms: number | null
}

/** How much time is left until a deadline; while the clock stands still, how much there is when it goes on. */
export function timeLeft(room: Room, { at, left_ms }: Ending): string {
  if (at === null) {
    const { status, speed } = room.clock
    const state = say(status.value === 'failed' ? 'asked.failed' : 'asked.paused')
    const time = durationOf(left_ms ?? 0)
    return `${state} ${say(speed.value === 1 ? 'asked.when_on' : 'asked.real_when_on', { time })}`
  }
  const time = durationOf(room.clock.until(at))
  const minute = untilMinute(room, at)
  if (minute === null) return say('asked.time_left', { time })
  return say('asked.real_time_left', { time, minute })
}
