import type { Range } from './chain-queries.js'

export interface Part<Row> {
  range: Range
  rows: Row[]
}

/**
 * Reads a trail in parts. A part has `most` numbers, or fewer if the statement reached its limit of
 * bytes. The next part is fetched while the caller works on this one.
 */
export async function* readParts<Row extends { end_at_bound: number | null }>(
  whole: Range,
  most: number,
  read: (range: Range) => Promise<Row[]>,
): AsyncGenerator<Part<Row>> {
  const readAfter = async (after: number): Promise<Part<Row> | null> => {
    if (after >= whole.to) return null
    const range = { ...whole, after, to: Math.min(after + most, whole.to) }
    const rows = await read(range)
    const to = rows.at(-1)?.end_at_bound ?? range.to
    return { range: { ...range, to }, rows }
  }
  for (let next = readAfter(whole.after); ; ) {
    const part = await next
    if (!part) return
    next = readAfter(part.range.to)
    // A caller that stops reading does not wait for it, and must not hear of its failure either.
    next.catch(() => {})
    yield part
  }
}
