import type { Kysely, Selectable, Transaction } from 'kysely'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { experimentColumns } from './queries.js'

type Trx = Transaction<Database>
/** What people analyse of it is theirs alone. */
export type SetupExperiment = Omit<
  Selectable<Database['experiments']>,
  'analysis_plan' | 'conclusion'
>
type Experiment = Omit<SetupExperiment, 'organization_id'>

interface Locking {
  toChange: boolean
}

/** The experiment that a setup made, locked against another change where it is `toChange`. */
export function selectSetupExperiment(
  db: Kysely<Database>,
  organization_id: string,
  setup_id: string,
  locking: Locking,
) {
  return selectStored(db, organization_id, locking)
    .where('setup_id', '=', setup_id)
    .executeTakeFirst()
}

/** Those of the experiments that there still are. */
export async function selectExperimentsById(
  db: Kysely<Database>,
  organization_id: string,
  ids: string[],
  locking: Locking,
): Promise<SetupExperiment[]> {
  if (ids.length === 0) return []
  return selectStored(db, organization_id, locking).where('_id', 'in', ids).execute()
}

function selectStored(db: Kysely<Database>, organization_id: string, { toChange }: Locking) {
  return db
    .selectFrom('experiments')
    .select([...experimentColumns, 'setup_id', 'has_run'])
    .where('organization_id', '=', organization_id)
    .$if(toChange, (query) => query.forUpdate())
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

/** What a setup writes of a draft that is there already. */
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

export async function deleteDraft(trx: Trx, organization_id: string, _id: string): Promise<void> {
  await trx
    .deleteFrom('experiments')
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
}
