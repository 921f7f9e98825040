import type { Expression, Kysely } from 'kysely'
import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Database } from './database/schema.js'

declare const content: unique symbol

/** JSON that PostgreSQL has written already, typed as what it contains. Sent as it is. */
export class JsonText<T> {
  declare readonly [content]: T
  constructor(readonly text: string) {}
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

interface Position {
  created_at: string
  _id: string
}

/**
 * The first `limit` rows of a query that asks for one more. `last` is where the page ends, or null
 * when nothing comes after it.
 */
export async function jsonPage<Row extends Position>(
  db: Kysely<Database>,
  query: Expression<Row>,
  limit: number,
): Promise<{ rows: JsonText<Row[]>; last: Position | null }> {
  const first = sql`select * from page limit ${limit}`
  const last = sql`
    select json_build_object('created_at', created_at, '_id', _id)
    from page where (select count(*) from page) > ${limit} offset ${limit - 1} limit 1`
  const { rows } = await sql<{ json: string; last: Position | null }>`
    with page as materialized (${query})
    select (select coalesce(json_agg(item), '[]') from (${first}) as item)::text as json,
      (${last}) as last
  `.execute(db)
  const [page] = rows
  return { rows: new JsonText(page?.json ?? '[]'), last: page?.last ?? null }
}
