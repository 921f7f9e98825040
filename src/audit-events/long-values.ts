import { createHash } from 'node:crypto'

type Metadata = Record<string, unknown>

/** As much metadata as an event holds, in bytes of JSON. Trails are read hundreds of events at a time. */
const mostBytes = 65_536

/** Where it is more, each value that is longer than that is summed up. */
const longBytes = 2_048

/**
 * Returns the metadata of an event, short enough to be stored. If it is too long, each long value, also
 * in `changes`, is replaced by its length and its SHA-256. Who has the value can prove it by the hash.
 */
export function withoutLongValues(metadata: Metadata): Metadata {
  // Most events are far shorter in the three bytes that a character can have.
  const json = JSON.stringify(metadata)
  if (json.length * 3 <= mostBytes || Buffer.byteLength(json) <= mostBytes) return metadata
  const { changes, ...rest } = metadata
  return { ...summedUp(rest), ...(changes ? { changes: eachSummedUp(changes) } : {}) }
}

const eachSummedUp = (changes: object) =>
  Object.fromEntries(
    Object.entries(changes).map(([field, change]: [string, Metadata]) => [field, summedUp(change)]),
  )

const summedUp = (values: Metadata) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, sumOf(value)]))

function sumOf(value: unknown): unknown {
  // Undefined has no JSON.
  const json = JSON.stringify(value) ?? ''
  const bytes = Buffer.byteLength(json)
  if (bytes <= longBytes) return value
  return { bytes, sha256: createHash('sha256').update(json).digest('hex') }
}
