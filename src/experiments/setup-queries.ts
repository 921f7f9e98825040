import type { Selectable } from 'kysely'
import { jsonb } from '../database/expressions.js'
import type { Database, Db, Trx } from '../database/schema.js'
import { experimentColumns } from './queries.js'

/** An experiment without the columns that a setup never touches. */
export type SetupExperiment = Omit<
  Selectable<Database['experiments']>,
  'analysis_plan' | 'conclusion'
>
type Experiment = Omit<SetupExperiment, 'organization_id'>

interface Locking {
  lock?: 'update' | undefined
}

/** The experiment that a setup made. */
export function selectSetupExperiment(
  db: Db,
  organization_id: string,
  setup_id: string,
  locking: Locking,
) {
  return selectStored(db, organization_id, locking)
    .where('setup_id', '=', setup_id)
    .executeTakeFirst()
}

/** The experiments among these ids that still exist. */
export async function selectExperimentsById(
  db: Db,
  organization_id: string,
  ids: string[],
  locking: Locking,
): Promise<SetupExperiment[]> {
  if (ids.length === 0) return []
  return selectStored(db, organization_id, locking).where('_id', 'in', ids).execute()
}

function selectStored(db: Db, organization_id: string, { lock }: Locking) {
  return db
    .selectFrom('experiments')
    .select([...experimentColumns, 'setup_id', 'has_run'])
    .where('organization_id', '=', organization_id)
    .$if(lock === 'update', (query) => query.forUpdate())
}

export async function insertDraft(
  trx: Trx,
  organization_id: string,
  { metadata, assignment, ...draft }: Experiment,
): Promise<void> {
  const documents = { metadata: jsonb(metadata), assignment: assignment && jsonb(assignment) }
  await trx
    .insertInto('experiments')
    .values({ ...draft, organization_id, ...documents })
    .execute()
}

/** The columns that a setup updates in an existing draft. */
export type Wording = Pick<Experiment, 'name' | 'hypothesis' | 'metadata' | 'updated_at'>

export async function updateDraft(
  trx: Trx,
  organization_id: string,
  { _id, name, hypothesis, metadata, updated_at }: Wording & { _id: string },
): Promise<void> {
  await trx
    .updateTable('experiments')
    .set({ name, hypothesis, metadata: jsonb(metadata), updated_at })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
}
