/**
 * How long a statement and its values may be together, in characters of one to three bytes. The protocol
 * allows less than 2 GiB, and drivers notice a longer message only after copying it.
 */
const maxCharacters = 64 * 1024 * 1024

/** Throws if a statement is too large to be sent. */
export function checkSize(text: string, values: readonly unknown[]): void {
  const size = text.length + sizeOf(values)
  if (size > maxCharacters) {
    throw new Error(`A statement of ${size} characters is too large: ${text.slice(0, 100)}`)
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + sizeOf(one), 0)
  return ArrayBuffer.isView(value) ? value.byteLength : 0
}
