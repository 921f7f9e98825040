import type { CompiledQuery, Expression, OperationNode } from 'kysely'
import { ValueNode } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Db } from './schema.js'

/** A parameter of a prepared query. Each execution brings its value. */
export class Parameter<T> implements Expression<T> {
  constructor(readonly name: string) {}

  /** Only for its type. */
  get expressionType(): T | undefined {
    return undefined
  }

  toOperationNode(): OperationNode {
    return ValueNode.create(this)
  }
}

/** The values of a statement as parameters: a query can use them, but not read them. */
export type ParametersOf<V> = {
  readonly [Name in keyof V]: Expression<NonNullable<V[Name]>> | Extract<V[Name], null>
}

/** A query, or a fragment of SQL. */
export interface Statement<Row> {
  compile(db: Db): CompiledQuery<Row>
}

export interface PrepareOptions {
  /**
   * Whether PostgreSQL should make a new plan for each execution. With several filters the best index
   * depends on how rare each value is, so one plan for all values can be very slow.
   */
  planAnew?: (given: readonly string[]) => boolean
}

const names = new Map<string, string>()

/** Returns the name of a prepared statement; undefined if it is planned for each execution. */
export function nameOf(sql: string): string | undefined {
  return names.get(sql)
}

/** Registers the name under which PostgreSQL prepares a statement. */
export function giveName(sql: string, name: string): void {
  if (!names.has(sql)) names.set(sql, `${name}_${names.size}`)
}

/**
 * Prepares a statement: Kysely compiles it and PostgreSQL parses it once for each shape. `build` gets
 * parameters instead of values. A null value makes another shape: `build` gets null for it, and can leave
 * out the filter. Name the columns: after a migration by a newer process, PostgreSQL refuses a prepared
 * `select *`, because it would give more of them.
 */
export function prepare<V extends object, Row>(
  name: string,
  build: (db: Db, parameters: ParametersOf<V>) => Statement<Row>,
  { planAnew = () => false }: PrepareOptions = {},
): (db: Db, values: V) => Promise<Row[]> {
  type Name = keyof V & string
  // Limited: a list with eleven filters has thousands of shapes, and callers choose them.
  const shapes = new LRUCache<string, CompiledQuery<Row>>({ max: 200 })

  function compile(db: Db, values: V, given: Name[]): CompiledQuery<Row> {
    const parameters = Object.keys(values).map((key) => {
      return [key, given.includes(key as Name) ? new Parameter(key) : null]
    })
    const compiled = build(db, Object.fromEntries(parameters)).compile(db)
    if (!planAnew(given)) giveName(compiled.sql, name)
    return compiled
  }

  return async (db: Db, values: V): Promise<Row[]> => {
    const given = (Object.keys(values) as Name[]).filter((key) => values[key] !== null)
    const shape = given.join()
    const compiled = shapes.get(shape) ?? compile(db, values, given)
    shapes.set(shape, compiled)
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Parameter ? values[parameter.name as Name] : parameter,
    )
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters })
    return rows
  }
}
