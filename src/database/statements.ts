import type { CompiledQuery, Kysely } from 'kysely'
import type { Database } from './schema.js'

/** Stands in a query for a value that each execution brings. */
class Parameter {
  constructor(readonly name: string) {}
}

type Given<V> = readonly (keyof V & string)[]

/** A query, or a fragment of SQL. */
interface Statement<Row> {
  compile(db: Kysely<Database>): CompiledQuery<Row>
}

export interface PrepareOptions {
  /**
   * Whether PostgreSQL should plan the statement anew for its values, because one plan for all of
   * them can be ruinous: with several filters the best index depends on how rare each value is.
   */
  planAnew?: (given: readonly string[]) => boolean
}

/** The name under which PostgreSQL keeps a statement; undefined for one that it plans anew. */
export function nameOf(sql: string): string | undefined {
  return /^\/\* (\w+) \*\/ /.exec(sql)?.[1]
}

/**
 * A statement that Kysely compiles and PostgreSQL parses once for each shape. `build` is called
 * with parameters in the place of values; a value that is null makes another shape, in which
 * `build` sees that null and may leave out what it is for.
 */
export function prepare<V extends object, Row>(
  name: string,
  build: (db: Kysely<Database>, parameters: V) => Statement<Row>,
  { planAnew = () => false }: PrepareOptions = {},
): (db: Kysely<Database>, values: V) => Promise<Row[]> {
  const shapes = new Map<string, CompiledQuery<Row>>()

  function compile(db: Kysely<Database>, values: V, given: Given<V>): CompiledQuery<Row> {
    const parameters = Object.fromEntries(
      Object.keys(values).map((key) => [key, null as Parameter | null]),
    )
    for (const key of given) parameters[key] = new Parameter(key)
    // To Kysely a parameter is a value like any other, until the statement is executed.
    const compiled = build(db, parameters as V).compile(db)
    // The driver takes the name from this comment; Kysely has no other way to tell it.
    const label = planAnew(given) ? '' : `/* ${name}_${shapes.size} */ `
    return { ...compiled, sql: label + compiled.sql }
  }

  return async (db: Kysely<Database>, values: V): Promise<Row[]> => {
    const given = (Object.keys(values) as (keyof V & string)[]).filter(
      (key) => values[key] !== null,
    )
    const shape = given.join()
    const compiled = shapes.get(shape) ?? compile(db, values, given)
    shapes.set(shape, compiled)
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Parameter ? values[parameter.name as keyof V] : parameter,
    )
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters })
    return rows
  }
}
