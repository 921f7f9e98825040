import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'

/** All but the first are only warned of. */
const mostTold = 20

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
    .where(
      sql<boolean>`(control_session_ids @> array[${session_id}::text]
        or intervention_session_ids @> array[${session_id}::text])`,
    )
    .orderBy(sql`status <> 'running'`)
    .orderBy('_id', 'desc')
    .limit(mostTold)
    .execute()
}
