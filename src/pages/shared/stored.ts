/** The prefix of the keys under which things are stored for the reader of a session. */
export const everyRoom = 'room '

/** What belongs to a room is kept for the browser, so that it outlives its tab. All else is kept for the tab. */
const storageOf = (name: string) => (name.startsWith(everyRoom) ? localStorage : sessionStorage)

/** Reads a value that is stored; null if there is none. */
export function readStored<Value>(name: string): Value | null {
  try {
    const text = storageOf(name).getItem(name)
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** Stores a value; null removes it. A browser without storage keeps nothing. */
export function store(name: string, value: unknown): void {
  try {
    if (value === null) storageOf(name).removeItem(name)
    else storageOf(name).setItem(name, JSON.stringify(value))
  } catch {
    // Storage is off or full.
  }
}

/** Returns the keys of all stored values that begin with a text. */
export function storedNames(beginning: string): string[] {
  try {
    return Object.keys(storageOf(beginning)).filter((name) => name.startsWith(beginning))
  } catch {
    // Storage is off.
    return []
  }
}

/** Removes all stored values whose keys begin with a text. */
export function forgetStored(beginning: string): void {
  for (const name of storedNames(beginning)) store(name, null)
}

/** The key of the place that the page of participants comes back to. */
export const placeStoredAs = 'place'
/** The key of the link whose place is not taken yet. */
export const linkStoredAs = 'link'
/** The key of the links that a trainer has made. */
export const linksStoredAs = 'links'

interface Reader {
  session_id: string
  user_id: string
}

/** How the stored names of a person begin, in all sessions. */
export const everyRoomOf = (user_id: string) => `${everyRoom}${user_id} `

/** The key under which something is stored for one reader of a session. */
export const storedName = ({ session_id, user_id }: Reader, ...name: string[]) =>
  everyRoomOf(user_id) + [session_id, ...name].join(' ')

/** A random id. `crypto.randomUUID` is missing in pages over plain HTTP. */
export const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
