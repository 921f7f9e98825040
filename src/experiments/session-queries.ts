import { sql } from 'kysely'
import type { Db } from '../database/schema.js'

/** Only the first one decides; the others are named in warnings. */
const maxExperiments = 20

/** The experiments that have a session in an arm and have not ended. Running ones come first. */
export function selectExperimentsWithSession(db: Db, organization_id: string, session_id: string) {
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
    .limit(maxExperiments)
    .execute()
}

export type Experiments = Awaited<ReturnType<typeof selectExperimentsWithSession>>

/** Whether an experiment still exists and its results are not frozen. */
export async function awaitsResults(
  db: Db,
  { organization_id, experiment_id }: { organization_id: string; experiment_id: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('experiments')
    .select('_id')
    .where('organization_id', '=', organization_id)
    .where('_id', '=', experiment_id)
    .where('conclusion', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}
