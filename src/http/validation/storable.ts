import { tellableKey } from '../../errors.js'

/** Deeper JSON than any schema of the contract allows, and than PostgreSQL's parser should see. */
const deepest = 64

interface Unstorable {
  path: string[]
  message: string
}

/**
 * The places in a value that PostgreSQL could not store, in keys as well as in values: NUL
 * characters, unpaired surrogates, endless nesting. Also a `__proto__` key, which has no honest use.
 * Of long keys the places have the beginning.
 */
export function* findUnstorable(value: unknown, path: string[] = []): Generator<Unstorable, void> {
  if (typeof value === 'string') return yield* describe(value, path)
  if (typeof value !== 'object' || value === null) return
  if (path.length > deepest) {
    yield { path, message: `should be nested at most ${deepest} levels deep` }
    return
  }
  for (const [key, item] of Object.entries(value)) {
    const inKey = key === '__proto__' ? [{ path, message: 'key is reserved' }] : describe(key, path)
    if (inKey.length > 0) yield* inKey
    else if (mayHoldFaults(item)) yield* findUnstorable(item, [...path, tellableKey(key)])
  }
}

const mayHoldFaults = (value: unknown) => typeof value === 'string' || typeof value === 'object'

function describe(text: string, path: string[]): Unstorable[] {
  if (text.includes('\0')) return [{ path, message: 'text must not contain NUL characters' }]
  if (text.isWellFormed()) return []
  return [{ path, message: 'text must not contain unpaired surrogates' }]
}

/** Whether objects and arrays are nested at most that many levels deep. */
export function isNestedWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((item) => isNestedWithin(levels - 1, item))
}

/** Whether a recursive function may walk a value. */
export const isWalkable = (value: unknown) => isNestedWithin(deepest, value)
