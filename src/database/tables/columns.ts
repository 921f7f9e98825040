import type { ColumnType, RawBuilder } from 'kysely'

/** Read as the contract writes times; written as text or by default. */
export type Timestamp = ColumnType<string, string | undefined, string>
export type NullableTimestamp = ColumnType<string | null, string | null | undefined, string | null>
/** Read as a parsed value; written with `jsonb()` or by default. */
export type Json<T> = ColumnType<T, RawBuilder<T> | undefined, RawBuilder<T>>
export type NullableJson<T> = ColumnType<
  T | null,
  RawBuilder<T> | null | undefined,
  RawBuilder<T> | null
>
export type Metadata = Record<string, unknown>
