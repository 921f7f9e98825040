import type { CompiledQuery, RawBuilder, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import { JsonText } from '../../contract.js'
import type { Database, Db } from '../schema.js'
import { type ParametersOf, type PrepareOptions, prepare } from '../statements.js'
import { PageText } from './page-text.js'
import {
  afterPosition,
  byTime,
  defaultPageSize,
  type Order,
  type Position,
  positionOf,
  type TimeColumn,
} from './pages.js'

export type List<Row> = SelectQueryBuilder<Database, keyof Database, Row>

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
  /** How many rows one statement reads if rows may be long. */
  ofLongRows?: number
}

interface PageOptions<Column extends string> extends ListOptions {
  /** The columns that order the list, if it is not ordered by creation. */
  order: Order<Column>
  /** Returns the values that select the rows after a position. */
  after(position: Position<Column>): object
  /** The page size if the call names no limit. */
  pageSize?: number
}

/** A page ends when it has this many characters, even if it has fewer rows than `limit`. */
export const longestPage = 1_048_576
const byCreation = { order: byTime, after: afterPosition }

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
  /** The page ends after this many characters, even if it has fewer rows. */
  longest?: number,
) => Promise<ListPage<Row, Column>>

function prepareTexts<V extends object, Row, Column extends string>(
  name: string,
  build: (
    db: Db,
    parameters: ParametersOf<V>,
    limit: RawBuilder<number>,
  ) => { compile(db: Db): CompiledQuery<{ json: string }> },
  options: PageOptions<Column>,
): SelectPage<V, Row, Column> {
  const {
    order,
    after,
    pageSize = defaultPageSize,
    ofLongRows = pageSize,
    planAnew = () => false,
  } = options
  // The limit is a literal: with a parameter PostgreSQL could not plan for few rows.
  const prepareFor = (limit: number) =>
    prepare(
      `${name}_${limit}`,
      (db, parameters: ParametersOf<V>) => build(db, parameters, sql.lit(limit + 1)),
      { planAnew: (given) => !limits.includes(limit) || planAnew(given) },
    )

  // Kept for these limits only: callers can choose any limit up to 500, with any filters.
  const limits = [pageSize, ofLongRows, pageSize - ofLongRows].filter((limit) => limit > 0)
  const kept = new Map(limits.map((limit) => [limit, prepareFor(limit)]))
  return async (db, values, limit = pageSize, longest = longestPage) => {
    const page = new PageText(longest)
    for (let next: object = {}; ; ) {
      const batchLimit = Math.min(limit - page.count, page.fits(pageSize) ? pageSize : ofLongRows)
      const select = kept.get(batchLimit) ?? prepareFor(batchLimit)
      const rows = await select(db, { ...values, ...next })
      const end = page.add(rows, batchLimit)
      const last = end === null ? null : positionOf(order, JSON.parse(end))
      if (last === null || page.count === limit || page.isFull) {
        const { text, count } = page
        return { text, rows: new JsonText(text), count, last }
      }
      next = after(last)
    }
  }
}
