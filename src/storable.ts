import type { Fault } from './errors.js'

/** Deeper JSON than any schema of the contract allows, and than PostgreSQL's parser should see. */
const deepest = 64

/**
 * The places in a request that PostgreSQL could not store, in keys as well as in values: NUL
 * characters, unpaired surrogates, endless nesting. Also a `__proto__` key, which has no honest use.
 */
export function findUnstorable(value: unknown, loc: string[]): Fault[] {
  if (typeof value === 'string') return describeText(value, loc)
  if (typeof value !== 'object' || value === null) return []
  if (loc.length > deepest) return [fault(loc, `should be nested at most ${deepest} levels deep`)]
  return Object.entries(value).flatMap(([key, item]) => {
    const keyFaults = key === '__proto__' ? [fault(loc, 'key is reserved')] : describeText(key, loc)
    return keyFaults.length > 0 ? keyFaults : findUnstorable(item, [...loc, key])
  })
}

/** Whether a fault says that the value is nested too deep for a recursive function to walk it. */
export function isTooDeep({ loc }: Fault): boolean {
  return loc.length > deepest
}

function describeText(text: string, loc: string[]): Fault[] {
  if (text.includes('\0')) return [fault(loc, 'text must not contain NUL characters')]
  if (!text.isWellFormed()) return [fault(loc, 'text must not contain unpaired surrogates')]
  return []
}

function fault(loc: string[], message: string): Fault {
  return { loc, msg: `Value error, ${message}`, type: 'value_error' }
}
