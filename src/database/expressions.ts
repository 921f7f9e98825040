import type { AliasedRawBuilder, Expression, RawBuilder, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Database } from './schema.js'

/** A value for a jsonb column. The drivers would bind an array as a PostgreSQL array. */
export function jsonb<T>(value: T): RawBuilder<T> {
  return jsonText(JSON.stringify(value))
}

/** The same for a value that is JSON text already. */
export function jsonText<T>(text: string): RawBuilder<T> {
  return sql<T>`${text}::jsonb`
}

/** The LIKE pattern for a text within another, in which the text has no special meaning. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/**
 * A timestamptz column as the contract writes times, for JSON that PostgreSQL writes. A row needs
 * none: the driver writes its times so, and not every clause takes what depends on settings.
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

function timeText(time: Expression<unknown>): RawBuilder<string> {
  return sql<string>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** When the transaction began, as the contract writes times; rounded as a column's default is. */
export const timeOfTransaction = timeText(sql`now()::timestamptz(3)`)

/**
 * Now, or later where a row was written at this time or after: whoever sees the same time again knows
 * that nobody has written the row since. A transaction may have begun before the one that it waited
 * for. Without a column, of which a cluster allows none beside the time.
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

/** The columns of a row, for JSON that PostgreSQL writes. */
export function jsonColumns<Table extends keyof Database, Column extends ColumnOf<Table>>(
  table: Table,
  columns: readonly Column[],
): InJson<Table, Column>[] {
  const isTime = (column: Column) => column.endsWith('_at') || column === 'last_seen'
  // The compiler cannot see that the condition at run time is that of the type.
  return columns.map((column) => (isTime(column) ? timestamp(table, column) : column)) as InJson<
    Table,
    Column
  >[]
}

/** PostgreSQL's text of a timestamptz in UTC as the contract writes times. Drivers parse with it. */
export function isoTimestamp(text: string): string {
  if (!text.endsWith('+00')) throw new Error('The database session does not use UTC')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`
}
