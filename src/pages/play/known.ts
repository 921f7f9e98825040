import type { Room } from '../shared/room/room.js'
import { everyRoomOf, forgetStored, readStored, store, storedName } from '../shared/stored.js'
import { me, storedPlace } from './state.js'

/** The readers that this device knows, for a browser that stores nothing. */
const known = new Set<string>()

type Reader = Pick<Room, 'session_id' | 'user_id'>

const nameOf = (reader: Reader) => storedName(reader, 'known')

/** Whether the participant has joined, or said who they are, on this device. */
export function isKnownHere(reader: Reader): boolean {
  const name = nameOf(reader)
  return known.has(name) || readStored(name) !== null
}

/** Keeps for this device, also after the tab is closed, who its reader is. */
export function keepAsKnown(reader: Reader): void {
  const name = nameOf(reader)
  known.add(name)
  store(name, true)
}

/** Forgets who the reader of a session is. Keeps what they have read and not sent: they may come back. */
export function forgetMeIn(session_id: string): void {
  known.clear()
  store(nameOf({ session_id, user_id: me.value }), null)
}

/** Forgets the caller, and what they have not sent, in all sessions. */
export function forgetMe(): void {
  known.clear()
  forgetStored(everyRoomOf(storedPlace()?.user_id ?? me.value))
}
