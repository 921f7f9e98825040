import type { Fault } from '../../faults.js'
import { expectationKeys, isObject, keys } from '../prepared-metadata.js'
import { conditionWarnings, decisionWarnings } from './decision-warnings.js'
import { misspeltKeys, noEffect } from './misspelt-keys.js'

/** Warns of keys that are probably misspelt, and of values that the engine cannot use. */
export function* metadataWarnings(
  metadata: Record<string, unknown>,
  loc: string[],
  isReply: boolean,
): Generator<Fault> {
  yield* misspeltKeys(metadata, Object.keys(keys), loc)
  const { expectation, only_if, unless } = metadata
  if (isObject(expectation)) {
    yield* misspeltKeys(expectation, expectationKeys, [...loc, 'expectation'])
  }
  for (const [key, { read, expected }] of Object.entries(keys)) {
    const value = metadata[key]
    if (key === 'only_if' || key === 'unless') continue
    if (value === undefined || value === null || read(value) !== null) continue
    const at = key === 'expectation' && isObject(value) ? [key, 'deadline_minutes'] : [key]
    yield noEffect([...loc, ...at], expected)
  }
  yield* conditionWarnings(only_if, [...loc, 'only_if'])
  yield* conditionWarnings(unless, [...loc, 'unless'])
  yield* decisionWarnings(metadata, [...loc, 'expectation', 'decision'], isReply)
}
