import type { Expression, OperationNodeSource, RawBuilder, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import { JsonText } from '../../contract.js'
import type { Database, Db } from '../schema.js'
import { type ParametersOf, type PrepareOptions, prepare, type Statement } from '../statements.js'
import { PageText } from './page-text.js'
import {
  byTime,
  defaultPageSize,
  type Order,
  type Position,
  positionOf,
  type TimeColumn,
} from './pages.js'

export type List<Row> = SelectQueryBuilder<Database, keyof Database, Row>
/** A query of rows of JSON text. */
type JsonRows = Statement<{ json: string }> & OperationNodeSource

/**
 * Selects each row of a list as JSON text. One text for each row costs PostgreSQL less than one for the
 * whole list, and this process less than one for each column.
 */
function selectJson<Row>(db: Db, list: List<Row>) {
  return db.selectFrom(list.as('item')).select(sql<string>`row_to_json(item)::text`.as('json'))
}

const joinRows = (rows: { json: string }[]) => `[${rows.map(({ json }) => json).join()}]`

/** Prepares a list that is always sent as a whole. */
export function prepareList<V extends object, Row>(
  name: string,
  build: (db: Db, parameters: ParametersOf<V>) => List<Row>,
) {
  const select = prepare(name, (db, parameters: ParametersOf<V>) =>
    selectJson(db, build(db, parameters)),
  )
  return async (db: Db, values: V): Promise<JsonText<Row[]>> =>
    new JsonText(joinRows(await select(db, values)))
}

/** One page of a list. */
export interface ListPage<Row, Column extends string = TimeColumn> {
  text: string
  rows: JsonText<Row[]>
  count: number
  /** The position after the page; null if it is the last page. */
  last: Position<Column> | null
}

interface ListOptions extends PrepareOptions {
  /** Whether a page of rows can be too long for memory. Then the statement itself ends the page. */
  hasLongRows?: boolean
}

interface PageOptions<Column extends string> extends ListOptions {
  /** The columns that order the list, if it is not ordered by creation. */
  order: Order<Column>
  /** The page size if the call names no limit. */
  pageSize?: number
}

/**
 * A page ends when it has this many bytes, even if it has fewer rows than `limit`. With four times as
 * many, ten readers of long pages made all others wait for half a second.
 */
export const longestPage = 262_144
/** Pages of these sizes are prepared. */
const commonLimits = [20, 50, 100, 500]
const byCreation = { order: byTime }

type Build<V, Row> = (db: Db, parameters: ParametersOf<V>) => List<Row>

/** Prepares a list that is read page by page. */
export function preparePage<V extends object, Row extends Position>(
  name: string,
  build: Build<V, Row>,
  options?: ListOptions,
): SelectPage<V, Row, TimeColumn>
export function preparePage<V extends object, Row extends Position<Column>, Column extends string>(
  name: string,
  build: Build<V, Row>,
  options: PageOptions<Column>,
): SelectPage<V, Row, Column>
export function preparePage<V extends object, Row>(
  name: string,
  build: Build<V, Row>,
  options?: ListOptions,
) {
  const select = (db: Db, parameters: ParametersOf<V>, limit: RawBuilder<number>) =>
    selectJson(db, build(db, parameters).limit(limit))
  return prepareTexts<V, Row, string>(name, select, { ...byCreation, ...options })
}

/** Like preparePage, for rows that are stored as the JSON text that is sent. */
export function prepareStoredPage<V extends object, Row>(
  name: string,
  build: Build<V, { json: string }>,
  options?: ListOptions,
): SelectPage<V, Row, TimeColumn> {
  const select = (db: Db, parameters: ParametersOf<V>, limit: RawBuilder<number>) =>
    build(db, parameters).limit(limit)
  return prepareTexts<V, Row, TimeColumn>(name, select, { ...byCreation, ...options })
}

type SelectPage<V, Row, Column extends string> = (
  db: Db,
  values: V,
  limit?: number,
  /** The page ends after this many bytes, even if it has fewer rows. */
  longest?: number,
) => Promise<ListPage<Row, Column>>

function prepareTexts<V extends object, Row, Column extends string>(
  name: string,
  build: (db: Db, parameters: ParametersOf<V>, limit: RawBuilder<number>) => JsonRows,
  options: PageOptions<Column>,
): SelectPage<V, Row, Column> {
  const { order, pageSize = defaultPageSize, hasLongRows, planAnew = () => false } = options
  const limits = new Set([pageSize, ...commonLimits])
  // The limit is a literal: with a parameter PostgreSQL could not plan for few rows.
  const prepareFor = (limit: number) =>
    prepare(
      `${name}_${limit}`,
      (db, parameters: ParametersOf<V & { longest: number }>) => {
        const rows = build(db, parameters, sql.lit(limit + 1))
        return hasLongRows ? endAt(rows, parameters.longest) : rows
      },
      { planAnew: (given) => !limits.has(limit) || planAnew(given) },
    )

  // Kept for these limits only: callers can choose any limit up to 500, with any filters.
  const kept = new Map([...limits].map((limit) => [limit, prepareFor(limit)]))
  return async (db, values, limit = pageSize, longest = longestPage) => {
    const select = kept.get(limit) ?? prepareFor(limit)
    const page = new PageText(longest)
    const end = page.add(await select(db, { ...values, longest }), limit)
    const last = end === null ? null : positionOf(order, JSON.parse(end))
    const { text, count } = page
    return { text, rows: new JsonText(text), count, last }
  }
}

/**
 * Leaves out the rows after the one with which a page has `longest` bytes, except one, which shows
 * that the list goes on. With `offset 0` PostgreSQL makes the JSON once, and not again for its length.
 */
const endAt = (rows: JsonRows, longest: Expression<number>) => sql<{ json: string }>`
  select json from (
    select json, sum(octet_length(json)) over (rows between unbounded preceding and 2 preceding) as before
    from (select json from (${rows}) as item offset 0) as item
  ) as item where coalesce(before, 0) < ${longest}`
