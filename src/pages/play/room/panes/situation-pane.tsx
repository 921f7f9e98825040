import type { Room } from '../../../shared/room/room.js'
import { Leave } from './leave.js'
import { Situation } from './situation.js'

/** The situation and the role again, in the room. */
export function SituationPane({ room }: { room: Room }) {
  const briefing = room.briefing.value
  if (!briefing) return null
  return (
    <>
      <Situation briefing={briefing} />
      <Leave session_id={room.session_id} />
    </>
  )
}
