import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Database, Db } from '../../database/schema.js'

type Session = Pick<Selectable<Database['simulation_sessions']>, 'status' | 'scenario_name'>

/** Sessions by id, without the unknown ids. */
export async function selectSessions(
  db: Db,
  organization_id: string,
  ids: string[],
): Promise<Map<string, Session>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('simulation_sessions')
    .select(['_id', 'status', 'scenario_name'])
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`_id = any(${ids}::uuid[])`)
    .execute()
  return new Map(rows.map(({ _id, ...session }) => [_id, session]))
}
