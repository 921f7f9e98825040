import { JsonText } from '../contract.js'
import { type List, longestPage, type Page } from './lists.js'
import { PageText } from './page-text.js'
import { type Order, type Position, positionOf, usualLimit } from './pages.js'

/** How many rows are read at once. */
const atOnce = 20

interface Reading<Row, Column extends string, Next extends object> {
  order: Order<Column>
  /** The values that select what comes after a position. */
  after(position: Position<Column>): Next
  /** The list with these values instead of those of the request. */
  read(next: Partial<Next>): List<Row>
}

/**
 * A page over every organization, read in pieces. As rows: a cluster does not know the names any more
 * when it makes JSON of several nodes' rows.
 */
export async function selectPageOfRows<
  Row extends Position<Column>,
  Column extends string,
  Next extends object,
>(
  { order, after, read }: Reading<Row, Column, Next>,
  limit: number = usualLimit,
): Promise<Page<Row, Column>> {
  const page = new PageText(longestPage)
  for (let next: Partial<Next> = {}; ; ) {
    const most = Math.min(limit - page.count, atOnce)
    const rows = await read(next)
      .limit(most + 1)
      .execute()
    const end = page.add(
      rows.map((row) => ({ json: JSON.stringify(row) })),
      most,
    )
    const last = end === null ? null : positionOf(order, JSON.parse(end))
    if (last === null || page.count === limit || page.isFull) {
      const { text, count } = page
      return { text, rows: new JsonText(text), count, last }
    }
    next = after(last)
  }
}
