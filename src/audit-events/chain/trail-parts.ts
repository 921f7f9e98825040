import type { Range } from './chain-queries.js'

export interface TrailPart<Row> {
  range: Range
  rows: Row[]
}

/**
 * Reads a trail in parts. A part has `partLength` numbers, or fewer if the statement reached its limit
 * of bytes. Fetches the next part while the caller works on the current one.
 */
export async function* readParts<Row extends { end_at_bound: number | null }>(
  whole: Range,
  partLength: number,
  read: (range: Range) => Promise<Row[]>,
): AsyncGenerator<TrailPart<Row>> {
  const readAfter = async (after: number): Promise<TrailPart<Row> | null> => {
    if (after >= whole.to) return null
    const range = { ...whole, after, to: Math.min(after + partLength, whole.to) }
    const rows = await read(range)
    const to = rows.at(-1)?.end_at_bound ?? range.to
    return { range: { ...range, to }, rows }
  }
  for (let next = readAfter(whole.after); ; ) {
    const part = await next
    if (!part) return
    next = readAfter(part.range.to)
    // If the caller stops reading, the failure of this unused part must not crash the process.
    next.catch(() => {})
    yield part
  }
}
