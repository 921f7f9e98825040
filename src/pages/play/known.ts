import type { Room } from '../shared/room/room.js'
import { everyRoomOf, forgetStored, readStored, store, storedName } from '../shared/stored.js'
import { hasAccount, me } from './state.js'

/** The readers that this device knows, for a browser that stores nothing. */
const known = new Set<string>()

type Reader = Pick<Room, 'session_id' | 'user_id'>

const nameOf = (reader: Reader) => storedName(reader, 'known')

/** Whether the participant has joined, or said who they are, on this device. An account needs no such word. */
export const isKnownHere = (reader: Reader) => hasAccount() || isKept(nameOf(reader))

const isKept = (name: string) => known.has(name) || readStored(name) !== null

/** Keeps for this device, also after the tab is closed, who its reader is. */
export function keepAsKnown(reader: Reader): void {
  const name = nameOf(reader)
  known.add(name)
  store(name, true)
}

/** What stays for a participant who comes back: which messages they have read, and that they know their role. */
const keptNames = ['seen', 'channel', 'briefed']

/** Forgets the caller, who has left a session, and what they have not sent. */
export function forgetMeIn(session_id: string): void {
  const reader = { session_id, user_id: me.value }
  forget(
    storedName(reader, ''),
    keptNames.map((name) => storedName(reader, name)),
  )
}

/** Forgets the caller, and what they have not sent, in all sessions. */
export const forgetMe = () => forget(everyRoomOf(me.value))

function forget(beginning: string, kept: string[] = []): void {
  known.clear()
  forgetStored(beginning, kept)
}
