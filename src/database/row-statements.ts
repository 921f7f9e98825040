import type { CompiledQuery, Expression } from 'kysely'
import type { Db } from './schema.js'
import { giveName, Parameter, type Statement } from './statements.js'

/** The rows of a statement, as parameters. */
export type RowsOf<V> = readonly { readonly [Name in keyof V]: Expression<V[Name]> }[]

/** The parameter for a value of one row. */
class Cell extends Parameter<unknown> {
  constructor(
    readonly row: number,
    name: string,
  ) {
    super(name)
  }
}

/**
 * Prepares a statement over a few rows, once for each number of rows. Unlike in `prepare`, null is an
 * ordinary value: a statement for each combination of nulls would be too many.
 */
export function prepareRows<V extends object, Row>(
  name: string,
  build: (db: Db, rows: RowsOf<V>) => Statement<Row>,
): (db: Db, rows: readonly V[]) => Promise<Row[]> {
  const shapes = new Map<number, CompiledQuery<Row>>()

  function compile(db: Db, rows: readonly V[]): CompiledQuery<Row> {
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
