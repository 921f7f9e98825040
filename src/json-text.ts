import { Readable } from 'node:stream'
import type { Expression, Kysely } from 'kysely'
import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Database } from './database/schema.js'
import type { Position } from './paging.js'

declare const content: unique symbol

/** JSON that PostgreSQL has written already, typed as what it contains. Sent as it is. */
export class JsonText<T> {
  declare readonly [content]: T
  constructor(readonly text: string | Readable) {}
}

/** Runs a typed query and lets PostgreSQL write its rows as one JSON array, in their order. */
export async function jsonList<Row>(
  db: Kysely<Database>,
  query: Expression<Row>,
): Promise<JsonText<Row[]>> {
  const { json } = await db
    .selectNoFrom(sql<string>`${jsonArrayFrom(query)}::text`.as('json'))
    .executeTakeFirstOrThrow()
  return new JsonText(json)
}

interface Limitable<Row> extends Expression<Row> {
  limit(limit: number): Expression<Row>
}

interface Page<Row> {
  text: string
  rows: JsonText<Row[]>
  count: number
  /** Where the page ends; null when nothing comes after it. */
  last: Position | null
}

/** The first `limit` rows of a query. */
export async function jsonPage<Row extends Position>(
  db: Kysely<Database>,
  query: Limitable<Row>,
  limit: number,
): Promise<Page<Row>> {
  const first = sql`select * from page limit ${limit}`
  const last = sql`
    select json_build_object('created_at', created_at, '_id', _id)
    from page where (select count(*) from page) > ${limit} offset ${limit - 1} limit 1`
  const { rows } = await sql<{ json: string; count: number; last: Position | null }>`
    with page as materialized (${query.limit(limit + 1)})
    select (select coalesce(json_agg(item), '[]') from (${first}) as item)::text as json,
      (select count(*) from page) as count,
      (${last}) as last
  `.execute(db)
  const { json: text, count, last: end } = rows[0] ?? { json: '[]', count: 0, last: null }
  return { text, rows: new JsonText(text), count: Math.min(count, limit), last: end }
}

/** Rows in one piece of a long answer: about a megabyte of users. */
const pieceSize = 1_000

/**
 * All rows of a list, however many: as one text when they are few, else piece by piece, so that
 * memory holds one piece at a time. `page` gives the query for the rows after a position. `count`
 * is null when it is not known yet.
 */
export async function jsonWhole<Row extends Position>(
  db: Kysely<Database>,
  page: (after: Position | null) => Limitable<Row>,
  after: Position | null,
): Promise<{ rows: JsonText<Row[]>; count: number | null; last: null }> {
  const first = await jsonPage(db, page(after), pieceSize)
  if (!first.last) return { ...first, last: null }
  async function* pieces() {
    let piece = first
    yield piece.text.slice(0, -1)
    while (piece.last) {
      piece = await jsonPage(db, page(piece.last), pieceSize)
      if (piece.count > 0) yield `,${piece.text.slice(1, -1)}`
    }
    yield ']'
  }
  return { rows: new JsonText(Readable.from(pieces())), count: null, last: null }
}
