import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'

/** A value for a jsonb column. The drivers would bind an array as a PostgreSQL array. */
export function jsonb<T>(value: T): RawBuilder<T> {
  return sql<T>`${JSON.stringify(value)}::jsonb`
}
