import { Readable } from 'node:stream'
import fastq from 'fastq'
import type { CompiledQuery, Expression, Kysely } from 'kysely'
import { sql } from 'kysely'
import { type PrepareOptions, prepareRaw } from './database/prepared.js'
import { type RawRows, writeJson } from './database/raw-rows.js'
import type { Database } from './database/schema.js'
import type { Position } from './paging.js'

declare const content: unique symbol

/** JSON that is text already, typed as what it contains. Sent as it is. */
export class JsonText<T> {
  declare readonly [content]: T
  constructor(readonly text: string | Readable) {}
}

/** A list that is sent whole, in the order of the query. */
export function prepareList<V extends object, Row>(
  name: string,
  build: (db: Kysely<Database>, parameters: V) => { compile(): CompiledQuery<Row> },
) {
  const select = prepareRaw(name, build)
  return async (db: Kysely<Database>, values: V): Promise<JsonText<Row[]>> =>
    new JsonText(writeJson(await select(db, values)))
}

/** One page of a list. */
interface Page<Row> {
  text: string
  rows: JsonText<Row[]>
  count: number
  /** Where the page ends; null when nothing comes after it. */
  last: Position | null
}

interface Limitable<Row> {
  limit(limit: Expression<number>): { compile(): CompiledQuery<Row> }
}

/** Rows in one page unless a request says otherwise, and in one piece of a long answer. */
const usualLimits = [100, 200]

/** A list of which each call takes the first `limit` rows. */
export function preparePage<V extends object, Row extends Position>(
  name: string,
  build: (db: Kysely<Database>, parameters: V) => Limitable<Row>,
  { planAnew = () => false }: PrepareOptions = {},
) {
  const selects = new Map<number, ReturnType<typeof prepareRaw<V>>>()

  // The limit is written out: with a parameter there PostgreSQL cannot know that few rows suffice.
  const prepareFor = (limit: number) =>
    prepareRaw(
      `${name}_${limit}`,
      (db, parameters: V) => build(db, parameters).limit(sql.lit(limit + 1)),
      { planAnew: (given) => !usualLimits.includes(limit) || planAnew(given) },
    )

  return async (db: Kysely<Database>, values: V, limit: number): Promise<Page<Row>> => {
    const select = selects.get(limit) ?? prepareFor(limit)
    selects.set(limit, select)
    const { fields, rows } = await select(db, values)
    const page = rows.length > limit ? rows.slice(0, limit) : rows
    const text = writeJson({ fields, rows: page })
    const last = rows.length > limit ? positionOf({ fields, rows: page }) : null
    return { text, rows: new JsonText(text), count: page.length, last }
  }
}

/** Where rows end. */
function positionOf({ fields, rows }: RawRows): Position {
  const text = writeJson({ fields, rows: rows.slice(-1) })
  const [{ created_at, _id }]: [Position] = JSON.parse(text)
  return { created_at, _id }
}

/** Rows in one piece of a long answer: about 200 kB of users. */
const pieceSize = 200

/** Fetches one piece after the other for all long answers together, so that short ones get by. */
const pieces = fastq.promise((fetch: () => Promise<unknown>) => fetch(), 1)

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
  async function* read() {
    let piece = first
    yield piece.text.slice(0, -1)
    while (piece.last) {
      const after = piece.last
      // The queue gives back what the function gave; its own type cannot say so.
      piece = (await pieces.push(() => page(after, pieceSize))) as Page<Row>
      if (piece.count > 0) yield `,${piece.text.slice(1, -1)}`
    }
    yield ']'
  }
  return { rows: new JsonText(Readable.from(read())), count: null, last: null }
}
