import type { Tokens } from '../../client/client.js'
import { Room } from '../shared/room/room.js'
import { logOut } from '../shared/service.js'
import { me, type Place, room, storeLink, storePlace, view } from './state.js'
import { tabs } from './tabs.js'

/** The name by which the tabs of a browser speak of a place. */
export const nameOf = ({ session_id, user_id, seat_token }: Place) =>
  seat_token ?? `${session_id} ${user_id}`

/** Opens the room of a place. */
export function openRoom(place: Place): void {
  storePlace(place)
  me.value = place.user_id
  tabs.hold(nameOf(place), give)
  const opened = new Room(place.session_id, place.user_id)
  room.value = opened
  view.value = { name: 'session' }
  void opened.load()
}

export function leaveRoom(): void {
  tabs.release()
  room.value?.close()
  room.value = null
}

export function forgetPlace(): void {
  storePlace(null)
  storeLink(null)
}

/** Hands a place over to another tab, with the login. What was written is kept for both. */
function give(): Tokens | null {
  leaveRoom()
  view.value = { name: 'moved' }
  return logOut()
}
