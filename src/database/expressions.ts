import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'

/** A value for a jsonb column. The drivers would bind an array as a PostgreSQL array. */
export function jsonb<T>(value: T): RawBuilder<T> {
  return sql<T>`${JSON.stringify(value)}::jsonb`
}

/** A timestamptz column as the contract writes times, for rows that leave as JSON text. */
export function timestamp<Name extends string>(column: Name) {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** PostgreSQL's text of a timestamptz as the contract writes times. Both drivers parse with it. */
export function parseTimestamp(text: string): string {
  return new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString()
}
