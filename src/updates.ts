import { throwFaults, valueError, valueFault } from './faults.js'

type Metadata = Record<string, unknown>

/** Returns a text after an update: null leaves it as it is, an empty text clears it. */
export function updatedText(stored: string | null, update: string | null | undefined) {
  return update === '' ? null : (update ?? stored)
}

/** Throws 422 when an update both clears and sets a field. */
export function checkClear<Field extends string>(
  update: { clear?: readonly Field[] | null } & { [Name in Field]?: unknown },
): void {
  const faults = (update.clear ?? []).flatMap((field, i) =>
    (update[field] ?? null) === null
      ? []
      : [valueFault(['body', 'clear', `${i}`], 'cleared_and_set', `${field} is given as well`)],
  )
  throwFaults(faults)
}

/** Returns a value after an update: null leaves it as it is, and its field in `clear` sets it to null. */
export function updatedValue<
  Update extends { clear?: readonly string[] | null | undefined },
  Field extends keyof Update & string,
>(stored: NonNullable<Update[Field]> | null, update: Update, field: Field) {
  return update.clear?.includes(field) ? null : (update[field] ?? stored)
}

/** The contract's limit for metadata, in bytes of JSON. */
const maxBytes = 16_384

/**
 * Returns metadata after an update: merged one level deep, without the keys that are set to null.
 * Throws 422 if the result is too large.
 */
export function mergeMetadata(stored: Metadata, update: Metadata): Metadata {
  const merged = Object.fromEntries(
    Object.entries({ ...stored, ...update }).filter(([, value]) => value !== null),
  )
  if (Buffer.byteLength(JSON.stringify(merged)) > maxBytes) {
    const message = `should be at most ${maxBytes} bytes as JSON together with what is stored`
    throw valueError(['body', 'metadata'], 'too_large', message)
  }
  return merged
}
