import type { Room } from '../../shared/room/room.js'
import { say } from '../../shared/words/words.js'

/** Returns why nothing can be posted now; null if it can. Without a connection it is sent later. */
export function obstacleOf(room: Room): string | null {
  const status = room.clock.status.value ?? room.briefing.value?.status
  if (status === 'paused' || status === 'failed') return say(`room.${status}_write`)
  if (status === 'completed' || status === 'cancelled') return say('room.over_write')
  return null
}
