import { say, timeOf } from '../words/words.js'

/** Returns the minute of a session, counted from its start. Participants learn no seconds. */
export const minuteOf = (elapsed_ms: number) => Math.floor(elapsed_ms / 60_000)

interface MinuteProps {
  elapsed_ms: number
  instant: string
}

/** The minute in which something was said. The time of day is its title. */
export const Minute = ({ elapsed_ms, instant }: MinuteProps) => (
  <time class="muted small" dateTime={instant} title={timeOf(instant)}>
    {say('message.minute', { minute: minuteOf(elapsed_ms) })}
  </time>
)
