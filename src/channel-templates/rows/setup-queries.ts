import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { batchesOf } from '../../database/batches.js'
import type { Database, Db, Trx } from '../../database/schema.js'
import { channelTemplateColumns } from '../queries.js'
import { rowBatchesOf } from './template-rows.js'

type Computed = 'message_bytes' | 'sender_ids' | 'branches'
type Stored = Omit<Selectable<Database['channel_templates']>, Computed>
type Template = Omit<Stored, 'organization_id'>
type Origin = 'setup_id' | 'scenario_name'

/** The templates of a scenario: their channels and the setup that made each, null for people. */
export function selectTemplateOrigins(db: Db, organization_id: string, scenario_name: string) {
  return db
    .selectFrom('channel_templates')
    .select(['_id', 'channel_name as name', 'setup_id'])
    .where('organization_id', '=', organization_id)
    .where('scenario_name', '=', scenario_name)
    .execute()
}

interface Locking {
  lock?: 'update' | undefined
}

/** The templates of a scenario that a setup made. */
export function selectTemplatesOfSetup(
  db: Db,
  { organization_id, setup_id, scenario_name }: Pick<Stored, 'organization_id' | Origin>,
  locking: Locking,
) {
  return selectStored(db, organization_id, locking)
    .where('setup_id', '=', setup_id)
    .where('scenario_name', '=', scenario_name)
    .execute()
}

/** The templates among these that still exist, also under another scenario or channel. */
export async function selectTemplatesById(
  db: Db,
  organization_id: string,
  ids: string[],
  locking: Locking,
): Promise<Stored[]> {
  if (ids.length === 0) return []
  return selectStored(db, organization_id, locking).where('_id', 'in', ids).execute()
}

function selectStored(db: Db, organization_id: string, { lock }: Locking) {
  return db
    .selectFrom('channel_templates')
    .select([...channelTemplateColumns, 'setup_id'])
    .where('organization_id', '=', organization_id)
    .orderBy('_id')
    .$if(lock === 'update', (query) => query.forUpdate())
}

export async function insertTemplates(
  trx: Trx,
  organization_id: string,
  templates: Template[],
): Promise<void> {
  const owned = templates.map((template) => ({ ...template, organization_id }))
  for (const rows of rowBatchesOf(owned)) {
    await trx.insertInto('channel_templates').values(rows).execute()
  }
}

/** The columns that a setup writes on an existing template. */
export type Messages = Pick<Template, 'message_templates' | 'updated_at'>

export async function updateMessages(
  trx: Trx,
  organization_id: string,
  templates: (Messages & { _id: string })[],
): Promise<void> {
  const texts = templates.map((template) => ({ json: JSON.stringify(template) }))
  for (const batch of batchesOf(texts)) {
    await updateAll(trx, organization_id, `[${batch.map(({ json }) => json).join()}]`)
  }
}

/** Writes the messages of several templates, given as one JSON text. */
async function updateAll(trx: Trx, organization_id: string, templates: string) {
  const written = sql<Messages & { _id: string }>`jsonb_to_recordset(${templates}::jsonb)`
  const columns = sql`written(_id uuid, message_templates jsonb, updated_at timestamptz)`
  await trx
    .updateTable('channel_templates')
    .from(written.as<'written'>(columns))
    .set({
      message_templates: sql.ref<Messages['message_templates']>('written.message_templates'),
      updated_at: sql.ref<string>('written.updated_at'),
    })
    .where('channel_templates.organization_id', '=', organization_id)
    .whereRef('channel_templates._id', '=', 'written._id')
    .execute()
}

export async function deleteTemplates(trx: Trx, organization_id: string, ids: string[]) {
  if (ids.length === 0) return
  await trx
    .deleteFrom('channel_templates')
    .where('organization_id', '=', organization_id)
    .where('_id', 'in', ids)
    .execute()
}
