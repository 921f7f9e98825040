import { JsonText } from '../contract.js'
import type { List, Page } from './lists.js'
import { type Order, type Position, positionOf, usualLimit } from './pages.js'

/**
 * A page over every organization. As rows: a cluster does not know the names any more when it makes
 * JSON of several nodes' rows.
 */
export async function selectPageOfRows<Row extends Position<Column>, Column extends string>(
  list: List<Row>,
  order: Order<Column>,
  limit: number = usualLimit,
): Promise<Page<Row, Column>> {
  const found = await list.limit(limit + 1).execute()
  const rows = found.slice(0, limit)
  const text = JSON.stringify(rows)
  const end = found.length > limit ? rows.at(-1) : undefined
  const last = end ? positionOf(order, end) : null
  return { text, rows: new JsonText(text), count: rows.length, last }
}
