import type { CompiledQuery, Kysely } from 'kysely'
import type { RawRows } from './raw-rows.js'
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

/** How the drivers are to execute a statement, which its first comment tells them. */
interface Execution {
  /** Under which PostgreSQL keeps it; undefined when it is planned anew. */
  name: string | undefined
  isRaw: boolean
}

const label = /^\/\* (raw\b)? ?(\w+)? ?\*\/ /

export function executionOf(sql: string): Execution {
  const [, raw, name] = label.exec(sql) ?? []
  return { name, isRaw: raw !== undefined }
}

/**
 * A statement that Kysely compiles and PostgreSQL parses once for each shape. `build` is called
 * with parameters in the place of values; a value that is null makes another shape, in which
 * `build` sees that null and may leave out what it is for.
 */
export function prepare<V extends object, Row>(
  name: string,
  build: (db: Kysely<Database>, parameters: V) => Statement<Row>,
): (db: Kysely<Database>, values: V) => Promise<Row[]> {
  return prepareLabelled(build, (shape) => `/* ${name}_${shape} */ `)
}

/** The same for a list whose rows leave as the drivers get them. */
export function prepareRaw<V extends object>(
  name: string,
  build: (db: Kysely<Database>, parameters: V) => Statement<unknown>,
  { planAnew = () => false }: PrepareOptions = {},
): (db: Kysely<Database>, values: V) => Promise<RawRows> {
  const select = prepareLabelled(build, (shape, given) =>
    planAnew(given) ? '/* raw */ ' : `/* raw ${name}_${shape} */ `,
  )
  return async (db, values) => {
    // Asked for raw rows, a driver gives one row that holds them all.
    const [raw] = (await select(db, values)) as RawRows[]
    return raw ?? { fields: [], rows: [] }
  }
}

function prepareLabelled<V extends object, Row>(
  build: (db: Kysely<Database>, parameters: V) => Statement<Row>,
  labelFor: (shape: number, given: Given<V>) => string,
) {
  const shapes = new Map<string, CompiledQuery<Row>>()

  function compile(db: Kysely<Database>, values: V, given: Given<V>): CompiledQuery<Row> {
    const parameters = Object.fromEntries(
      Object.keys(values).map((key) => [key, null as Parameter | null]),
    )
    for (const key of given) parameters[key] = new Parameter(key)
    // To Kysely a parameter is a value like any other, until the statement is executed.
    const compiled = build(db, parameters as V).compile(db)
    return { ...compiled, sql: labelFor(shapes.size, given) + compiled.sql }
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
