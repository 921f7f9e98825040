import { Readable } from 'node:stream'
import type { Expression, Kysely } from 'kysely'
import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { prepare } from './database/prepared.js'
import type { Database } from './database/schema.js'
import type { Position } from './paging.js'

declare const content: unique symbol

/** JSON that PostgreSQL has written already, typed as what it contains. Sent as it is. */
export class JsonText<T> {
  declare readonly [content]: T
  constructor(readonly text: string | Readable) {}
}

/** A list whose rows PostgreSQL writes as one JSON array, in the order of the query. */
export function prepareList<V extends object, Row>(
  name: string,
  build: (db: Kysely<Database>, parameters: V) => Expression<Row>,
) {
  const select = prepare(name, (db, parameters: V) =>
    db.selectNoFrom(sql<string>`${jsonArrayFrom(build(db, parameters))}::text`.as('json')),
  )
  return async (db: Kysely<Database>, values: V): Promise<JsonText<Row[]>> => {
    const [row] = await select(db, values)
    return new JsonText(row?.json ?? '[]')
  }
}

/** One page of a list. */
export interface Page<Row> {
  text: string
  rows: JsonText<Row[]>
  count: number
  /** Where the page ends; null when nothing comes after it. */
  last: Position | null
}

export type PageOf<V, Row> = (db: Kysely<Database>, values: V, limit: number) => Promise<Page<Row>>

interface Limitable<Row> extends Expression<Row> {
  limit(limit: Expression<number>): Expression<Row>
}

/** A list of which each call takes the first `limit` rows. */
export function preparePage<V extends object, Row extends Position>(
  name: string,
  build: (db: Kysely<Database>, parameters: V) => Limitable<Row>,
  options: { planAnew?: (given: readonly string[]) => boolean } = {},
): PageOf<V, Row> {
  type Answer = { json: string; count: number; last: Position | null }
  const select = prepare(
    name,
    (db, { limit, ...parameters }: V & { limit: number }) => {
      // What is left without the limit are the parameters of the query.
      const query = build(db, parameters as V)
      const most = sql<number>`${limit}::int`
      return sql<Answer>`
        with page as materialized (${query.limit(sql`${most} + 1`)})
        select
          (select coalesce(json_agg(item), '[]') from (select * from page limit ${most}) as item)::text
            as json,
          (select count(*) from page) as count,
          (select json_build_object('created_at', created_at, '_id', _id) from page
            where (select count(*) from page) > ${most} offset ${most} - 1 limit 1) as last`
    },
    options,
  )
  return async (db, values, limit) => {
    const [row] = await select(db, { ...values, limit })
    const { json: text, count, last } = row ?? { json: '[]', count: 0, last: null }
    return { text, rows: new JsonText(text), count: Math.min(count, limit), last }
  }
}

/** Rows in one piece of a long answer: about a megabyte of users. */
const pieceSize = 1_000

/**
 * All rows of a list, however many: as one text when they are few, else piece by piece, so that
 * memory holds one piece at a time. `count` is null when it is not known yet.
 */
export async function jsonWhole<Row>(
  page: (after: Position | null, limit: number) => Promise<Page<Row>>,
  after: Position | null,
): Promise<{ rows: JsonText<Row[]>; count: number | null; last: null }> {
  const first = await page(after, pieceSize)
  if (!first.last) return { ...first, last: null }
  async function* pieces() {
    let piece = first
    yield piece.text.slice(0, -1)
    while (piece.last) {
      piece = await page(piece.last, pieceSize)
      if (piece.count > 0) yield `,${piece.text.slice(1, -1)}`
    }
    yield ']'
  }
  return { rows: new JsonText(Readable.from(pieces())), count: null, last: null }
}
