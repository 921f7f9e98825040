import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'

/** The statuses of sessions of an organization, by id. An unknown id is left out. */
export async function selectStatuses(
  db: Kysely<Database>,
  organization_id: string,
  ids: string[],
): Promise<Map<string, Schema<'SessionStatus'>>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('simulation_sessions')
    .select(['_id', 'status'])
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`_id = any(${ids}::uuid[])`)
    .execute()
  return new Map(rows.map(({ _id, status }) => [_id, status]))
}
