import { Room } from '../shared/room/room.js'
import { logOut } from '../shared/service.js'
import { store, storedName, takeStored } from '../shared/stored.js'
import { me, type Place, room, storeLink, storePlace, view } from './state.js'
import { type Handover, tabs } from './tabs.js'

/** The name by which the tabs of a browser speak of a place. */
export const nameOf = ({ session_id, user_id, seat_token }: Place) =>
  seat_token ?? `${session_id} ${user_id}`

/** Opens the room of a place. */
export function openRoom(place: Place): void {
  storePlace(place)
  me.value = place.user_id
  tabs.hold(nameOf(place), () => give(place))
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

/** Keeps what another tab has kept for a place. */
export function keepAll(handover: Handover | null): void {
  for (const [name, value] of Object.entries(handover?.kept ?? {})) store(name, value)
}

/** Hands a place over to another tab. This tab keeps no copy, because two copies would differ. */
function give(place: Place): Handover {
  leaveRoom()
  view.value = { name: 'moved' }
  return { tokens: logOut(), kept: takeStored(storedName(place, '')) }
}
