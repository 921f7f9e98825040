/** How many bytes of text one statement has at most. A larger row gets its own statement. */
const maxBytes = 1024 * 1024

/** A statement can have 65,535 parameters, and a row has at most twenty-five columns. */
const maxRows = 1_000

/**
 * Divides rows into batches of limited size, each for one statement. Keeps their order, and reads a row
 * only when its batch is made.
 */
export function* batchesOf<Row extends object>(
  rows: Iterable<Row>,
  maxCount = maxRows,
): Generator<Row[]> {
  let batch: Row[] = []
  let bytes = 0
  for (const row of rows) {
    const size = bytesOf(row)
    if (batch.length > 0 && (bytes + size > maxBytes || batch.length === maxCount)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(row)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

/** Returns the bytes of the texts in a row. JSON values must be texts already. */
function bytesOf(row: object): number {
  let bytes = 0
  for (const value of Object.values(row)) {
    if (typeof value === 'string') bytes += Buffer.byteLength(value)
  }
  return bytes
}
