import { createHash } from 'node:crypto'
import { jsonLine } from '../process/json-line.js'

type Metadata = Record<string, unknown>

/** The longest metadata of an event, in bytes of JSON. Trails are read hundreds of events at a time. */
const maxBytes = 65_536

/** In longer metadata, each value above this length is replaced by its hash. */
const longBytes = 2_048

/**
 * Makes the metadata of an event short enough to be stored. If it is too long, each long value, also
 * in `changes`, is replaced by its length and its SHA-256. The hash can later prove a value.
 */
export function withoutLongValues(metadata: Metadata): Metadata {
  // Counting bytes is slow. Most events are short enough even at three bytes a character.
  const json = jsonLine(metadata)
  if (json.length * 3 <= maxBytes || Buffer.byteLength(json) <= maxBytes) return metadata
  const { changes, ...rest } = metadata
  return { ...shortened(rest), ...(changes ? { changes: eachShortened(changes) } : {}) }
}

const eachShortened = (changes: object) =>
  Object.fromEntries(
    Object.entries(changes).map(([field, change]: [string, Metadata]) => [
      field,
      shortened(change),
    ]),
  )

const shortened = (values: Metadata) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shortenedValue(value)]))

function shortenedValue(value: unknown): unknown {
  // JSON.stringify returns undefined for undefined.
  const json = JSON.stringify(value) ?? ''
  const bytes = Buffer.byteLength(json)
  if (bytes <= longBytes) return value
  return { bytes, sha256: createHash('sha256').update(json).digest('hex') }
}
