/** Reads a value that this tab has stored; null if there is none. */
export function readStored<Value>(name: string): Value | null {
  try {
    const text = sessionStorage.getItem(name)
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** Stores a value for this tab; null removes it. A browser without storage keeps it until a reload. */
export function store(name: string, value: unknown): void {
  try {
    if (value === null) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, JSON.stringify(value))
  } catch {
    // Storage is off or full.
  }
}

/** Removes and returns all stored values whose keys have a prefix. */
export function takeStored(beginning: string): Record<string, unknown> {
  try {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith(beginning))
    const values = names.map((name) => [name, readStored(name)])
    for (const name of names) sessionStorage.removeItem(name)
    return Object.fromEntries(values)
  } catch {
    return {}
  }
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

/** The prefix of the keys under which a tab stores things for the reader of a session. */
export const everyRoom = 'room '

/** The key under which a tab stores something for one reader of a session. */
export const storedName = ({ session_id, user_id }: Reader, ...name: string[]) =>
  everyRoom + [session_id, user_id, ...name].join(' ')

/** A random id. `crypto.randomUUID` is missing in pages over plain HTTP. */
export const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
