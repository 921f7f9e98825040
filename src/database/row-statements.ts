import type { CompiledQuery, Expression, Kysely } from 'kysely'
import type { Database } from './schema.js'
import { giveName, Parameter, type Statement } from './statements.js'

/** The rows of a statement as its builder gets them. */
export type RowsOf<V> = readonly { readonly [Name in keyof V]: Expression<V[Name]> }[]

/** Stands for a value of one of several rows. */
class Cell extends Parameter<unknown> {
  constructor(
    readonly row: number,
    name: string,
  ) {
    super(name)
  }
}

/**
 * A statement over a few rows, prepared for each number of them. Here null is a value like others:
 * rows differ in what they leave out, and a shape for each combination would be too many.
 */
export function prepareRows<V extends object, Row>(
  name: string,
  build: (db: Kysely<Database>, rows: RowsOf<V>) => Statement<Row>,
): (db: Kysely<Database>, rows: readonly V[]) => Promise<Row[]> {
  const shapes = new Map<number, CompiledQuery<Row>>()

  function compile(db: Kysely<Database>, rows: readonly V[]): CompiledQuery<Row> {
    const cells: RowsOf<V> = rows.map((row, index) => {
      const columns = Object.keys(row).map((key) => [key, new Cell(index, key)])
      return Object.fromEntries(columns)
    })
    const compiled = build(db, cells).compile(db)
    giveName(compiled.sql, name)
    return compiled
  }

  return async (db, rows) => {
    const compiled = shapes.get(rows.length) ?? compile(db, rows)
    shapes.set(rows.length, compiled)
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Cell
        ? Reflect.get(rows[parameter.row] ?? {}, parameter.name)
        : parameter,
    )
    const result = await db.executeQuery<Row>({ ...compiled, parameters })
    return result.rows
  }
}
