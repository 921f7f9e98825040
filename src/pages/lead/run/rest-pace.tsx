import { Pace } from '../sessions/plan/pace.js'
import { minutesOf } from '../sessions/session-reading.js'
import { say } from '../words/words.js'
import type { DeskRoom } from './desk-room.js'

/** At which pace a paused drill goes on, and how long the rest then takes. */
export const RestPace = ({ room }: { room: DeskRoom }) => (
  <Pace
    restLabel={say('lead.paceRest')}
    speed={room.restSpeed.value ?? `${room.clock.speed.value}`}
    now={room.clock.speed.value}
    minutes={restOf(room)}
    onChange={(speed) => {
      room.restSpeed.value = speed
    }}
  />
)

/** How many minutes of its clock a session has left; null if the page cannot know that. */
function restOf({ session, briefing, clock }: DeskRoom): number | null {
  if (!session.value.value || !briefing.value) return null
  const all = minutesOf({ session: session.value.value, briefing: briefing.value })
  const rest = all === null ? 0 : all - (clock.elapsed.value ?? 0) / 60_000
  return rest > 0 ? rest : null
}
