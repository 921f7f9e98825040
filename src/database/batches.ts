/** The most text that one statement carries. A larger row has a statement of its own. */
const mostBytes = 1024 * 1024

/** A statement takes 65,535 parameters, and a row has at most twenty-five columns. */
const mostRows = 1_000

/**
 * Rows in batches of a bounded size, each to be written by one statement, in their order. A row is
 * asked for when its batch is made.
 */
export function* batchesOf<Row extends object>(
  rows: Iterable<Row>,
  most = mostRows,
): Generator<Row[]> {
  let batch: Row[] = []
  let bytes = 0
  for (const row of rows) {
    const size = bytesOf(row)
    if (batch.length > 0 && (bytes + size > mostBytes || batch.length === most)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(row)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

/** The bytes of the texts in a row. JSON has to be a text already. */
function bytesOf(row: object): number {
  let bytes = 0
  for (const value of Object.values(row)) {
    if (typeof value === 'string') bytes += Buffer.byteLength(value)
  }
  return bytes
}
