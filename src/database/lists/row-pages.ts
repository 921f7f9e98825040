import { JsonText } from '../../contract.js'
import { type List, type ListPage, longestPage } from './lists.js'
import { PageText } from './page-text.js'
import { defaultPageSize, type Order, type Position, positionOf } from './pages.js'

/**
 * Returns a page of rows that one statement has read: at most one row more than `limit`. `last` is the last
 * row of the page; null if no row comes after it.
 */
export function pageOfRows<Row>(rows: Row[], limit: number): { text: string; last: Row | null } {
  const page = new PageText(longestPage)
  const texts = rows.map((row) => ({ json: JSON.stringify(row) }))
  const hasMore = page.add(texts, limit) !== null
  return { text: page.text, last: hasMore ? (rows[page.count - 1] ?? null) : null }
}

/** How many rows one statement reads. */
const batchSize = 20

interface RowSource<Row, Column extends string, Next extends object> {
  order: Order<Column>
  /** Returns the values that select the rows after a position. */
  after(position: Position<Column>): Next
  /** Returns the list, with these values instead of those of the request. */
  read(next: Partial<Next>): List<Row>
}

/**
 * Reads a page of all organizations in batches. Reads rows, not JSON text: a cluster loses the column
 * names when it makes JSON from the rows of several nodes.
 */
export async function selectPageOfRows<
  Row extends Position<Column>,
  Column extends string,
  Next extends object,
>(
  { order, after, read }: RowSource<Row, Column, Next>,
  limit: number = defaultPageSize,
): Promise<ListPage<Row, Column>> {
  const page = new PageText(longestPage)
  for (let next: Partial<Next> = {}; ; ) {
    const batchLimit = Math.min(limit - page.count, batchSize)
    const rows = await read(next)
      .limit(batchLimit + 1)
      .execute()
    const end = page.add(
      rows.map((row) => ({ json: JSON.stringify(row) })),
      batchLimit,
    )
    const last = end === null ? null : positionOf(order, JSON.parse(end))
    if (last === null || page.count === limit || page.isFull) {
      const { text, count } = page
      return { text, rows: new JsonText(text), count, last }
    }
    next = after(last)
  }
}
