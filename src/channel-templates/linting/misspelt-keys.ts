import type { Fault } from '../../faults.js'
import { closestName } from '../../formats/close-names.js'

/** Warns of keys that are almost a known one. */
export function* misspeltKeys(given: object, known: string[], loc: string[]): Generator<Fault> {
  const missing = known.filter((key) => !(key in given))
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue
    const meant = closestName(key, missing)
    const msg = `This key has no effect: did you mean ${meant}?`
    if (meant) yield { loc: [...loc, key], msg, type: 'misspelt_key' }
  }
}

/** The warning of a value that the engine cannot use. */
export const noEffect = (loc: string[], expected: string): Fault => ({
  loc,
  msg: `This value has no effect: it should be ${expected}`,
  type: 'no_effect',
})
