import type { AliasedRawBuilder, RawBuilder, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Database } from './schema.js'

/** A value for a jsonb column. The drivers would bind an array as a PostgreSQL array. */
export function jsonb<T>(value: T): RawBuilder<T> {
  return sql<T>`${JSON.stringify(value)}::jsonb`
}

/** A timestamptz column as the contract writes times, also where PostgreSQL writes the JSON. */
export function timestamp<
  Table extends keyof Database,
  Column extends keyof Selectable<Database[Table]> & string,
  Alias extends string = Column,
>(
  table: Table,
  column: Column,
  alias: Alias = column as unknown as Alias,
): AliasedRawBuilder<Selectable<Database[Table]>[Column], Alias> {
  const inUtc = sql`${sql.ref(`${table}.${column}`)} at time zone 'UTC'`
  const text = sql`to_char(${inUtc}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  return text.$castTo<Selectable<Database[Table]>[Column]>().as(alias)
}

/** The names of all fields of a row: leaving one out does not compile. */
export function columnsOf<Row>(all: Record<keyof Row & string, true>) {
  return Object.keys(all) as (keyof Row & string)[]
}

/** PostgreSQL's text of a timestamptz in UTC as the contract writes times. Drivers parse with it. */
export function isoTimestamp(text: string): string {
  if (!text.endsWith('+00')) throw new Error('The database session does not use UTC')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`
}
