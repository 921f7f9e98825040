import type { Room } from '../../shared/room/room.js'
import { say } from '../../shared/words/words.js'

const statusOf = ({ clock, briefing }: Room) => clock.status.value ?? briefing.value?.status

export function isOver(room: Room): boolean {
  const status = statusOf(room)
  return status === 'completed' || status === 'cancelled'
}

/** Returns why nothing can be posted now; null if it can. Without a connection it is sent later. */
export function obstacleOf(room: Room): string | null {
  const status = statusOf(room)
  if (status === 'paused' || status === 'failed') return say(`room.${status}_write`)
  if (isOver(room)) return say('room.over_write')
  return null
}
