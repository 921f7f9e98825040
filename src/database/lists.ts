import type { CompiledQuery, Kysely, RawBuilder, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import { JsonText } from '../contract.js'
import { PageText } from './page-text.js'
import {
  afterPosition,
  byTime,
  type Order,
  type Position,
  positionOf,
  type TimeColumn,
  usualLimit,
} from './pages.js'
import type { Database } from './schema.js'
import { type ParametersOf, type PrepareOptions, prepare } from './statements.js'

export type List<Row> = SelectQueryBuilder<Database, keyof Database, Row>

/**
 * Each row of a list as JSON text, in the list's order. One text for each row costs PostgreSQL less
 * than one for all, and this process less than one for each column.
 */
function selectJson<Row>(db: Kysely<Database>, list: List<Row>) {
  return db.selectFrom(list.as('item')).select(sql<string>`row_to_json(item)::text`.as('json'))
}

const joinRows = (rows: { json: string }[]) => `[${rows.map(({ json }) => json).join()}]`

/** A list that is sent whole, in the order of the query. */
export function prepareList<V extends object, Row>(
  name: string,
  build: (db: Kysely<Database>, parameters: ParametersOf<V>) => List<Row>,
) {
  const select = prepare(name, (db, parameters: ParametersOf<V>) =>
    selectJson(db, build(db, parameters)),
  )
  return async (db: Kysely<Database>, values: V): Promise<JsonText<Row[]>> =>
    new JsonText(joinRows(await select(db, values)))
}

/** One page of a list. */
export interface Page<Row, Column extends string = TimeColumn> {
  text: string
  rows: JsonText<Row[]>
  count: number
  /** Where the page ends; null when nothing comes after it. */
  last: Position<Column> | null
}

interface ListOptions extends PrepareOptions {
  /** How many rows are read at once of a list whose rows may be long. */
  ofLongRows?: number
}

interface PageOptions<Column extends string> extends ListOptions {
  /** By which columns the list is ordered, where that is not when a row was made. */
  order: Order<Column>
  /** The values of the statement that select what comes after a position. */
  after(position: Position<Column>): object
  /** How many rows a page has unless a call says otherwise. */
  usual?: number
}

/** A page ends when it has this many characters, even if it has fewer rows than `limit`. */
export const longestPage = 1_048_576
const byCreation = { order: byTime, after: afterPosition }

type Build<V, Row> = (db: Kysely<Database>, parameters: ParametersOf<V>) => List<Row>

/** A list of which each call takes the first `limit` rows. */
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
  const select = (db: Kysely<Database>, parameters: ParametersOf<V>, limit: RawBuilder<number>) =>
    selectJson(db, build(db, parameters).limit(limit))
  return prepareTexts<V, Row, string>(name, select, { ...byCreation, ...options })
}

/** Such a list of rows that are stored as the very text which is sent. */
export function prepareStoredPage<V extends object, Row>(
  name: string,
  build: Build<V, { json: string }>,
  options?: ListOptions,
): SelectPage<V, Row, TimeColumn> {
  const select = (db: Kysely<Database>, parameters: ParametersOf<V>, limit: RawBuilder<number>) =>
    build(db, parameters).limit(limit)
  return prepareTexts<V, Row, TimeColumn>(name, select, { ...byCreation, ...options })
}

type SelectPage<V, Row, Column extends string> = (
  db: Kysely<Database>,
  values: V,
  limit?: number,
  /** After how many characters the page ends, even where it has fewer rows. */
  longest?: number,
) => Promise<Page<Row, Column>>

function prepareTexts<V extends object, Row, Column extends string>(
  name: string,
  build: (
    db: Kysely<Database>,
    parameters: ParametersOf<V>,
    limit: RawBuilder<number>,
  ) => { compile(db: Kysely<Database>): CompiledQuery<{ json: string }> },
  options: PageOptions<Column>,
): SelectPage<V, Row, Column> {
  const { order, after, usual = usualLimit, ofLongRows = usual, planAnew = () => false } = options
  // The limit is written out: with a parameter there PostgreSQL cannot know that few rows suffice.
  const prepareFor = (limit: number) =>
    prepare(
      `${name}_${limit}`,
      (db, parameters: ParametersOf<V>) => build(db, parameters, sql.lit(limit + 1)),
      { planAnew: (given) => !limits.includes(limit) || planAnew(given) },
    )

  // Kept for these limits only: callers could ask for 500, each with every set of filters.
  const limits = [usual, ofLongRows, usual - ofLongRows].filter((limit) => limit > 0)
  const kept = new Map(limits.map((limit) => [limit, prepareFor(limit)]))
  return async (db, values, limit = usual, longest = longestPage) => {
    const page = new PageText(longest)
    for (let next: object = {}; ; ) {
      const most = Math.min(limit - page.count, page.fits(usual) ? usual : ofLongRows)
      const select = kept.get(most) ?? prepareFor(most)
      const rows = await select(db, { ...values, ...next })
      const end = page.add(rows, most)
      const last = end === null ? null : positionOf(order, JSON.parse(end))
      if (last === null || page.count === limit || page.isFull) {
        const { text, count } = page
        return { text, rows: new JsonText(text), count, last }
      }
      next = after(last)
    }
  }
}
