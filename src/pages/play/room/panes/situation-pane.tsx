import type { Room } from '../../../shared/room/room.js'
import { say } from '../../../shared/words/words.js'
import { isOver } from '../obstacle.js'
import { Leave } from './leave.js'
import { Situation } from './situation.js'

/** The situation and the role again, in the room. */
export function SituationPane({ room }: { room: Room }) {
  const briefing = room.briefing.value
  const speed = room.clock.speed.value
  if (!briefing) return null
  return (
    <>
      {speed > 1 && !isOver(room) && <p class="notice">{say('room.speed_text', { speed })}</p>}
      <Situation briefing={briefing} />
      {!isOver(room) && <Leave session_id={room.session_id} />}
    </>
  )
}
