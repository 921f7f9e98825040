import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'

/** The experiments that have a session in one of their arms and have not ended, those that run first. */
export function selectExperimentsWithSession(
  db: Kysely<Database>,
  organization_id: string,
  session_id: string,
) {
  return db
    .selectFrom('experiments')
    .select(['_id', 'name', 'status'])
    .select(
      sql<'control' | 'intervention'>`
        case when ${session_id} = any(control_session_ids) then 'control' else 'intervention' end`.as(
        'arm',
      ),
    )
    .where('organization_id', '=', organization_id)
    .where('status', 'not in', ['completed', 'cancelled', 'archived'])
    .where(sql<boolean>`${session_id} = any(control_session_ids || intervention_session_ids)`)
    .orderBy(sql`status <> 'running'`)
    .orderBy('_id', 'desc')
    .execute()
}
