import type { AliasedRawBuilder, Expression, RawBuilder, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Database } from './schema.js'

/** Returns a value for a jsonb column. Drivers would bind an array as a PostgreSQL array. */
export function jsonb<T>(value: T): RawBuilder<T> {
  return jsonText(JSON.stringify(value))
}

/** Returns a value for a jsonb column. The value is JSON text already. */
export function jsonText<T>(text: string): RawBuilder<T> {
  return sql<T>`${text}::jsonb`
}

/** Returns a LIKE pattern that finds a text in another, with special characters escaped. */
export const containing = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Whether a column has this pattern. Case and the Unicode form of letters do not matter. */
export const isLike = (column: string, pattern: Expression<string> | string | null) =>
  sql<boolean>`lower(normalize(${sql.ref(column)})) like lower(normalize(${pattern}::text))`

/**
 * Formats a timestamptz column as the contract writes times, for JSON that PostgreSQL writes. Not needed
 * for rows: the driver formats their times.
 */
export function timestamp<
  Table extends keyof Database,
  Column extends ColumnOf<Table>,
  Alias extends string = Column,
>(
  table: Table,
  column: Column,
  alias: Alias = column as unknown as Alias,
): AliasedRawBuilder<Selectable<Database[Table]>[Column], Alias> {
  const text = timeText(sql.ref(`${table}.${column}`))
  return text.$castTo<Selectable<Database[Table]>[Column]>().as(alias)
}

/** Formats a time as the contract writes it. */
export function timeText(time: Expression<unknown>): RawBuilder<string> {
  return sql<string>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** The start of the transaction as the contract writes times, rounded like the default of a column. */
export const timeOfTransaction = timeText(sql`now()::timestamptz(3)`)

/**
 * Returns the current time, but at least 1 ms after the row was last written. So a row with the same
 * time has not changed. The current time alone would not do: a transaction may have begun before the one
 * that it waited for. Uses no column, because a cluster does not allow one here.
 */
export function laterThan(written: string): RawBuilder<string> {
  const next = new Date(Date.parse(written) + 1).toISOString()
  return sql`greatest(now(), ${next}::timestamptz)`
}

type ColumnOf<Table extends keyof Database> = keyof Selectable<Database[Table]> & string
type TimeColumn = `${string}_at` | 'last_seen'
type InJson<
  Table extends keyof Database,
  Column extends ColumnOf<Table>,
> = Column extends TimeColumn
  ? AliasedRawBuilder<Selectable<Database[Table]>[Column], Column>
  : Column

/** Returns the columns of a row, for JSON that PostgreSQL writes. */
export function jsonColumns<Table extends keyof Database, Column extends ColumnOf<Table>>(
  table: Table,
  columns: readonly Column[],
): InJson<Table, Column>[] {
  // The compiler cannot see that the condition at run time is that of the type.
  return columns.map((column) => (isTime(column) ? timestamp(table, column) : column)) as InJson<
    Table,
    Column
  >[]
}

const isTime = (column: string) => column.endsWith('_at') || column === 'last_seen'

/** A JSON object of these values. Unlike `json_build_object`, it has no spaces. */
export function jsonOf<T = unknown>(values: Record<string, RawBuilder<unknown>>): RawBuilder<T> {
  const columns = Object.entries(values).map(([name, value]) => sql`${value} as ${sql.id(name)}`)
  return sql`(select row_to_json(item) from (select ${sql.join(columns)}) as item)`
}

/** A JSON object of the columns of a row, and of more fields. */
export function jsonObject<Table extends keyof Database, T = unknown>(
  table: Table,
  columns: readonly ColumnOf<Table>[],
  more: Record<string, RawBuilder<unknown>> = {},
): RawBuilder<T> {
  const fields = columns.map((column) => {
    const ref = sql.ref(`${table}.${column}`)
    return [column, isTime(column) ? timeText(ref) : ref] as const
  })
  return jsonOf({ ...Object.fromEntries(fields), ...more })
}

/** Converts PostgreSQL's text of a timestamptz in UTC to the contract's format. Drivers use it. */
export function isoTimestamp(text: string): string {
  if (!text.endsWith('+00')) throw new Error('The database session does not use UTC')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`
}
