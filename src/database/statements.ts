import type { CompiledQuery, Expression, Kysely, OperationNode } from 'kysely'
import { ValueNode } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from './schema.js'

/** Stands in a query for a value that each execution brings. */
export class Parameter<T> implements Expression<T> {
  constructor(readonly name: string) {}

  /** There for its type only. */
  get expressionType(): T | undefined {
    return undefined
  }

  toOperationNode(): OperationNode {
    return ValueNode.create(this)
  }
}

/** The values of a statement as its builder gets them: to be put into a query, not to be read. */
export type ParametersOf<V> = {
  readonly [Name in keyof V]: Expression<NonNullable<V[Name]>> | Extract<V[Name], null>
}

/** A query, or a fragment of SQL. */
export interface Statement<Row> {
  compile(db: Kysely<Database>): CompiledQuery<Row>
}

export interface PrepareOptions {
  /**
   * Whether PostgreSQL should plan the statement anew for its values, because one plan for all of
   * them can be ruinous: with several filters the best index depends on how rare each value is.
   */
  planAnew?: (given: readonly string[]) => boolean
}

const names = new Map<string, string>()

/** The name under which PostgreSQL keeps a statement; undefined for one that it plans anew. */
export function nameOf(sql: string): string | undefined {
  return names.get(sql)
}

/** Gives a statement a name, under which PostgreSQL prepares it. */
export function giveName(sql: string, name: string): void {
  if (!names.has(sql)) names.set(sql, `${name}_${names.size}`)
}

/**
 * A statement that Kysely compiles and PostgreSQL parses once for each shape. `build` is called
 * with parameters in the place of values; a value that is null makes another shape, in which
 * `build` sees that null and may leave out what it is for.
 */
export function prepare<V extends object, Row>(
  name: string,
  build: (db: Kysely<Database>, parameters: ParametersOf<V>) => Statement<Row>,
  { planAnew = () => false }: PrepareOptions = {},
): (db: Kysely<Database>, values: V) => Promise<Row[]> {
  type Name = keyof V & string
  // Bounded: of a listing with eleven filters there are thousands, and callers choose.
  const shapes = new LRUCache<string, CompiledQuery<Row>>({ max: 200 })

  function compile(db: Kysely<Database>, values: V, given: Name[]): CompiledQuery<Row> {
    const parameters = Object.keys(values).map((key) => {
      return [key, given.includes(key as Name) ? new Parameter(key) : null]
    })
    const compiled = build(db, Object.fromEntries(parameters)).compile(db)
    if (!planAnew(given)) giveName(compiled.sql, name)
    return compiled
  }

  return async (db: Kysely<Database>, values: V): Promise<Row[]> => {
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
