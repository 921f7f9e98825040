import type { Expression, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import { isId } from '../formats/identifiers.js'
import type { Database, Db } from './schema.js'

/**
 * The organizations whose rows a query may find. Every query has to name its scope, so that a
 * forgotten one finds no rows. In a prepared statement the organization is an expression.
 */
export type Scope<Id = string> = { organization_id: Id } | 'every organization'

type ScopedTable = Exclude<keyof Database, 'organizations'>

/** Limits a query to the rows in the scope. */
export function inScope<Table extends ScopedTable, Row>(
  query: SelectQueryBuilder<Database, Table, Row>,
  table: Table,
  scope: Scope<string | Expression<string>>,
): SelectQueryBuilder<Database, Table, Row> {
  if (scope === 'every organization') return query
  const { organization_id } = scope
  return query.where(sql<boolean>`${sql.ref(`${table}.organization_id`)} = ${organization_id}`)
}

/**
 * The organization of a row, for a query that locks it: on a cluster, a lock has to name the
 * organization. In the scope of one organization, it does not check that the row exists.
 */
export async function selectOwner(
  db: Db,
  table: 'channel_templates' | 'experiments' | 'simulation_sessions' | 'users',
  scope: Scope,
  _id: string,
): Promise<string | undefined> {
  if (scope !== 'every organization') return scope.organization_id
  if (!isId(_id)) return undefined
  const row = await db
    .selectFrom(table)
    .select('organization_id')
    .where('_id', '=', _id)
    .executeTakeFirst()
  return row?.organization_id
}
