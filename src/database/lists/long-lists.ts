import { JsonText } from '../../contract.js'
import type { ListPage } from './lists.js'
import { defaultPageSize, type Position } from './pages.js'

/** Fetches a piece of a long answer in a turn, so that short answers need not wait. */
export type FetchInTurn = <Piece>(fetch: () => Promise<Piece>) => Promise<Piece>

/** A piece of a long answer ends when it has this many bytes. */
const pieceLength = 131_072

/**
 * Returns all rows of a list: as one text if they are few, else in pieces, so that only one piece is in
 * memory. `count` is null if it is not known yet.
 */
export async function jsonWhole<Row, Column extends string>(
  fetchInTurn: FetchInTurn,
  page: (
    after: Position<Column> | null,
    limit: number,
    longest: number,
  ) => Promise<ListPage<Row, Column>>,
  after: Position<Column> | null,
  limit: number = defaultPageSize,
): Promise<{ rows: JsonText<Row[]>; count: number | null; last: null }> {
  const first = await page(after, limit, pieceLength)
  if (!first.last) return { ...first, last: null }
  async function* read() {
    let piece = first
    yield piece.text.slice(0, -1)
    while (piece.last) {
      const after = piece.last
      piece = await fetchInTurn(() => page(after, limit, pieceLength))
      if (piece.count > 0) yield `,${piece.text.slice(1, -1)}`
    }
    yield ']'
  }
  return { rows: new JsonText(read()), count: null, last: null }
}
