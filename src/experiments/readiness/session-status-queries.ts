import { sql } from 'kysely'
import type { Schema } from '../../contract.js'
import type { Db } from '../../database/schema.js'

/** The statuses of sessions by id, without the unknown ids. */
export async function selectStatuses(
  db: Db,
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
