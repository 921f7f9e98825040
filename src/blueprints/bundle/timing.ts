import type { Effects, Line, Reply, Scenario, Slot } from '../catalogue/entries.js'
import type { BundleMessage } from './bundle.js'
import { type Member, memberIn } from './cast.js'
import { fillPlaceholders, placeholderValues } from './placeholders.js'

const workday = 8

/** A message on its way into a channel; `at` keeps the order of what falls into the same hour. */
export type PlannedMessage = {
  channel: string
  at: number
  message: BundleMessage
  anchor?: Line['anchor']
}

/** Working hours become hours on the clock, so nobody posts at night however the pace is. */
const clock = (at: number): number => {
  const day = Math.floor(at / workday)
  return day * 24 + (at - day * workday)
}

/** Stretches a time by the pace; what is history stays history. */
const paced = (at: number, pace: number): number =>
  at < 0 ? Math.min(-1, Math.round(at * pace)) : Math.round(at * pace)

export type Pacing = { stretch?: number; limit?: number }

/** Where lines are spoken: leaves out whoever is not in the cast, and what is said about them. */
export function stageOf(scenario: Scenario, cast: Member[], effects: Effects) {
  const { reply_delay } = effects.pressure_model
  const words = placeholderValues(scenario, cast, effects.org_culture.address)
  const away = (slot: Slot) => memberIn(cast, slot) === undefined

  const repliesTo = (sender: Member, replies: Reply[]) => {
    let minutes = 0
    return replies.flatMap(({ from, after, text }) => {
      const member = memberIn(cast, from)
      const content = fillPlaceholders(text, words)
      if (!member || member === sender || content === undefined) return []
      minutes = Math.max(minutes + 1, Math.round(after * reply_delay))
      return [{ sender: member.role.key, content, offset_minutes: minutes, metadata: {} }]
    })
  }
  const speak = (
    sender: Member,
    line: Omit<Line, 'from'>,
    pacing: Pacing = {},
  ): PlannedMessage[] => {
    const { stretch = 1, limit = Number.POSITIVE_INFINITY } = pacing
    const { channel, kind, beat, anchor } = line
    const content = fillPlaceholders(line.text, words)
    const stays = line.needs?.some(away) || line.unless?.some((slot) => !away(slot))
    if (stays || content === undefined) return []
    const message: BundleMessage = {
      sender: sender.role.key,
      content,
      offset_hours: clock(paced(line.at, stretch)),
      thread_replies: repliesTo(sender, line.replies ?? []).slice(0, limit),
      metadata: beat ? { kind, beat } : { kind },
    }
    return [{ channel, at: line.at * stretch, message, anchor }]
  }
  const play = (lines: Line[], pacing?: Pacing): PlannedMessage[] =>
    lines.flatMap((line) => {
      const sender = memberIn(cast, line.from)
      return sender ? speak(sender, line, pacing) : []
    })
  return { speak, play }
}
