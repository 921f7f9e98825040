import type { Schema } from '../contract.js'
import type { Fault } from '../faults.js'
import { closestName } from '../formats/close-names.js'
import { numberOf } from './messages.js'

/** The keys that a schema names. All other keys are free. */
type NamedKey<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: T[Key] }

/** The contract's limit: a year. */
const maxMinutes = 525_600

/** The keys that the engine reads. `read` returns null for a value that it cannot use. */
const keys = {
  kind: { read: textOf, expected: 'a text' },
  beat: { read: textOf, expected: 'a text' },
  arm: { read: armOf, expected: 'control or intervention' },
  drill_minute: { read: minuteOf, expected: 'a number of minutes, at most a year' },
  fallback_for: { read: textOf, expected: 'a text' },
  expectation: { read: expectationOf, expected: 'a number of minutes above 0' },
} satisfies Record<
  NamedKey<Schema<'PreparedMetadata'>>,
  { read: (value: unknown) => unknown; expected: string }
>

const expectationKeys = ['act', 'deadline_minutes', 'options'] satisfies NamedKey<
  Schema<'MessageExpectation'>
>[]

/** Reads the metadata of a prepared message. Null: the key is left out, or has no usable value. */
export function parseMetadata(metadata: Record<string, unknown>) {
  return {
    kind: keys.kind.read(metadata.kind),
    beat: keys.beat.read(metadata.beat),
    arm: keys.arm.read(metadata.arm),
    drill_minute: keys.drill_minute.read(metadata.drill_minute),
    fallback_for: keys.fallback_for.read(metadata.fallback_for),
    expectation: keys.expectation.read(metadata.expectation),
  }
}

function textOf(value: unknown) {
  return typeof value === 'string' ? value : null
}

function armOf(value: unknown) {
  return value === 'control' || value === 'intervention' ? value : null
}

function minuteOf(value: unknown) {
  return numberOf(value, -maxMinutes, maxMinutes)
}

function expectationOf(value: unknown): Schema<'Expectation'> | null {
  if (!isObject(value)) return null
  const { act, deadline_minutes, options } = value
  const minutes = numberOf(deadline_minutes, 0, maxMinutes)
  // Without a deadline the engine would wait for ever.
  if (!minutes) return null
  const isList = Array.isArray(options) && options.every((one) => typeof one === 'string')
  return { act: textOf(act) ?? 'answer', deadline_minutes: minutes, options: isList ? options : [] }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Warns of keys that are probably misspelt, and of values that the engine cannot use. */
export function* metadataWarnings(
  metadata: Record<string, unknown>,
  loc: string[],
): Generator<Fault> {
  yield* misspeltKeys(metadata, Object.keys(keys), loc)
  const { expectation } = metadata
  if (isObject(expectation)) {
    yield* misspeltKeys(expectation, expectationKeys, [...loc, 'expectation'])
  }
  for (const [key, { read, expected }] of Object.entries(keys)) {
    const value = metadata[key]
    if (value === undefined || value === null || read(value) !== null) continue
    const at = key === 'expectation' && isObject(value) ? [key, 'deadline_minutes'] : [key]
    const msg = `This value has no effect: it should be ${expected}`
    yield { loc: [...loc, ...at], msg, type: 'no_effect' }
  }
}

function* misspeltKeys(given: object, known: string[], loc: string[]): Generator<Fault> {
  const missing = known.filter((key) => !(key in given))
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue
    const meant = closestName(key, missing)
    const msg = `This key has no effect: did you mean ${meant}?`
    if (meant) yield { loc: [...loc, key], msg, type: 'misspelt_key' }
  }
}
