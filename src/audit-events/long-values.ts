import { createHash } from 'node:crypto'

type Metadata = Record<string, unknown>

/** As much metadata as an event holds, in bytes of JSON. Trails are read hundreds of events at a time. */
const mostBytes = 65_536

/** Where it is more, each value that is longer than that is summed up. */
const longBytes = 2_048

/**
 * The metadata of an event, short enough to be kept: of too much the long values are replaced, here and
 * in `changes`, by how long they are and their SHA-256, which prove what they were to whoever has them.
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
