import { shortenKey } from '../../faults.js'

/** More levels than any schema allows, and than PostgreSQL's parser should get. */
const maxDepth = 64

interface Unstorable {
  path: string[]
  type: 'not_storable' | 'too_deep' | 'reserved'
  message: string
}

/**
 * Finds keys and values that cannot be stored: NUL characters, unpaired surrogates, infinite numbers and too
 * deep nesting. Also finds `__proto__` keys, which have no honest use. Long keys are shortened in `path`.
 */
export function* findUnstorable(value: unknown, path: string[] = []): Generator<Unstorable, void> {
  if (typeof value === 'string') return yield* describe(value, path)
  if (isTooLarge(value)) yield { path, type: 'not_storable', message: tooLarge }
  if (typeof value !== 'object' || value === null) return
  if (path.length > maxDepth) {
    yield { path, type: 'too_deep', message: `should be nested at most ${maxDepth} levels deep` }
    return
  }
  for (const [key, item] of Object.entries(value)) {
    const inKey = key === '__proto__' ? [reservedKey(path)] : describe(key, path)
    if (inKey.length > 0) yield* inKey
    else if (mayHoldFaults(item)) yield* findUnstorable(item, [...path, shortenKey(key)])
  }
}

const reservedKey = (path: string[]): Unstorable => ({
  path,
  type: 'reserved',
  message: 'key is reserved',
})

const mayHoldFaults = (value: unknown) =>
  typeof value === 'string' || typeof value === 'object' || isTooLarge(value)

/** Whether a number is infinite, as numbers are read that a double cannot hold. */
export const isTooLarge = (value: unknown) => typeof value === 'number' && !Number.isFinite(value)

export const tooLarge = 'number cannot be stored exactly'

function describe(text: string, path: string[]): Unstorable[] {
  const type = 'not_storable'
  if (text.includes('\0')) return [{ path, type, message: 'text must not contain NUL characters' }]
  if (text.isWellFormed()) return []
  return [{ path, type, message: 'text must not contain unpaired surrogates' }]
}

/** Whether objects and arrays are nested at most this many levels deep. */
export function isNestedWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((item) => isNestedWithin(levels - 1, item))
}

/** Whether a value is flat enough for a recursive function. */
export const isWalkable = (value: unknown) => isNestedWithin(maxDepth, value)
