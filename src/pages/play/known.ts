import type { Room } from '../shared/room/room.js'
import { everyRoom, storedName } from '../shared/stored.js'
import { hasAccount, me } from './state.js'

/** The readers that this device knows, for a browser that stores nothing. */
const known = new Set<string>()

type Reader = Pick<Room, 'session_id' | 'user_id'>

const nameOf = (reader: Reader) => storedName(reader, 'known')

/** Whether the participant has joined, or said who they are, on this device. An account needs no such word. */
export const isKnownHere = (reader: Reader) => hasAccount() || isKept(nameOf(reader))

function isKept(name: string): boolean {
  try {
    return known.has(name) || localStorage.getItem(name) !== null
  } catch {
    return false
  }
}

/** Keeps for this device, also after the tab is closed, who its reader is. */
export function keepAsKnown(reader: Reader): void {
  const name = nameOf(reader)
  known.add(name)
  try {
    localStorage.setItem(name, 'true')
  } catch {
    // Storage is off or full.
  }
}

/** Forgets the caller, who has left a session. */
export const forgetMeIn = (session_id: string) => forget(nameOf({ session_id, user_id: me.value }))

/** Forgets all readers of this device. */
export const forgetAllKnown = () => forget(everyRoom)

/** Forgets the names that begin so. */
function forget(beginning: string): void {
  known.clear()
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(beginning))
    for (const name of names) localStorage.removeItem(name)
  } catch {
    // Storage is off.
  }
}
