/** How many bytes a row of a session counts besides its texts: for its other columns and its indexes. */
export const bytesOfRow = 300

interface Texts {
  content: string
  expectation?: unknown
  conditions?: unknown
  decides?: unknown
}

export const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** How many bytes the messages or the lines of a plan count. */
export function bytesOf(rows: readonly Texts[]): number {
  let bytes = 0
  for (const { content, expectation, conditions, decides } of rows) {
    bytes += bytesOfRow + Buffer.byteLength(content)
    for (const json of [expectation, conditions, decides]) {
      if (json) bytes += jsonBytes(json)
    }
  }
  return bytes
}
