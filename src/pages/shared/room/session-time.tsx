import { sessionTimeOf } from '../clock.js'
import { say, timeOf } from '../words/words.js'

interface SessionTimeProps {
  /** The time on the clock of the session; null before its start. */
  elapsed_ms: number | null
  instant: string
}

/** When something happened, on the clock of the session. The time of day is its title. */
export const SessionTime = ({ elapsed_ms, instant }: SessionTimeProps) => (
  <time dateTime={instant} title={timeOf(instant)} class="session-time">
    {elapsed_ms === null || elapsed_ms < 0 ? say('clock.before') : sessionTimeOf(elapsed_ms)}
  </time>
)
