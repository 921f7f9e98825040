import { valueError } from './errors.js'

type Metadata = Record<string, unknown>

/** A text after an update: null leaves it as it is, an empty one clears it. */
export function updatedText(stored: string | null, update: string | null | undefined) {
  return update === '' ? null : (update ?? stored)
}

/** The contract's limit for one metadata object, in bytes of JSON. */
const mostBytes = 16_384

/**
 * Metadata after an update: merged one level deep, a key set to null being removed. Throws 422 when
 * what was kept and what is new are too large together.
 */
export function mergeMetadata(stored: Metadata, update: Metadata): Metadata {
  const merged = Object.fromEntries(
    Object.entries({ ...stored, ...update }).filter(([, value]) => value !== null),
  )
  if (Buffer.byteLength(JSON.stringify(merged)) > mostBytes) {
    const message = `should be at most ${mostBytes} bytes as JSON together with what is stored`
    throw valueError(['body', 'metadata'], message)
  }
  return merged
}
