import { JsonText } from '../contract.js'
import type { Page } from './lists.js'
import { type Position, usualLimit } from './pages.js'

/** Fetches a piece of a long answer when its turn comes, so that short answers get by. */
export type FetchInTurn = <Piece>(fetch: () => Promise<Piece>) => Promise<Piece>

/** As many characters as a piece of a long answer has at least. */
const longestPiece = 131_072

/**
 * All rows of a list, however many: as one text when they are few, else piece by piece, so that
 * memory holds one piece at a time. `count` is null when it is not known yet.
 */
export async function jsonWhole<Row, Column extends string>(
  fetchInTurn: FetchInTurn,
  page: (
    after: Position<Column> | null,
    limit: number,
    longest: number,
  ) => Promise<Page<Row, Column>>,
  after: Position<Column> | null,
  limit: number = usualLimit,
): Promise<{ rows: JsonText<Row[]>; count: number | null; last: null }> {
  const first = await page(after, limit, longestPiece)
  if (!first.last) return { ...first, last: null }
  async function* read() {
    let piece = first
    yield piece.text.slice(0, -1)
    while (piece.last) {
      const after = piece.last
      piece = await fetchInTurn(() => page(after, limit, longestPiece))
      if (piece.count > 0) yield `,${piece.text.slice(1, -1)}`
    }
    yield ']'
  }
  return { rows: new JsonText(read()), count: null, last: null }
}
