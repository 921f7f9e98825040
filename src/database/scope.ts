import type { Expression, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Database } from './schema.js'

/**
 * Whose rows a query may find. It has to be written out, so that one that is forgotten finds none.
 * In a prepared statement the organization is an expression.
 */
export type Scope<Id = string> = { organization_id: Id } | 'every organization'

type ScopedTable = Exclude<keyof Database, 'organizations'>

/** Only the rows of a table that are in the scope. */
export function inScope<Table extends ScopedTable, Row>(
  query: SelectQueryBuilder<Database, Table, Row>,
  table: Table,
  scope: Scope<string | Expression<string>>,
): SelectQueryBuilder<Database, Table, Row> {
  if (scope === 'every organization') return query
  const { organization_id } = scope
  return query.where(sql<boolean>`${sql.ref(`${table}.organization_id`)} = ${organization_id}`)
}
