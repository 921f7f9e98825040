import type { Insertable, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Database } from '../database/schema.js'
import { channelTemplateColumns, type NewTemplate, type StoredTemplate } from './queries.js'
import type { Key } from './template-file.js'
import { rowBatchesOf } from './template-rows.js'

type Trx = Transaction<Database>
type Named = Key & { _id: string }

/**
 * Inserts templates. Where some may be there already, these are written anew and keep their `_id`,
 * and those that are the same already are left alone: no row comes back for them.
 */
export async function upsertTemplates(trx: Trx, templates: NewTemplate[], overwrite: boolean) {
  const written: Named[] = []
  for (const rows of rowBatchesOf(templates)) {
    written.push(...(await upsertRows(trx, rows, overwrite)))
  }
  return written
}

function upsertRows(
  trx: Trx,
  rows: Insertable<Database['channel_templates']>[],
  overwrite: boolean,
) {
  return trx
    .insertInto('channel_templates')
    .values(rows)
    .$if(overwrite, (query) =>
      query.onConflict((conflict) =>
        conflict
          .constraint('channel_templates_channel_unique')
          .doUpdateSet((eb) => ({
            message_templates: eb.ref('excluded.message_templates'),
            is_active: eb.ref('excluded.is_active'),
            apply_to_existing_users: eb.ref('excluded.apply_to_existing_users'),
            updated_at: eb.ref('excluded.updated_at'),
          }))
          .where(sql<boolean>`(channel_templates.message_templates,
            channel_templates.is_active, channel_templates.apply_to_existing_users)
            is distinct from (excluded.message_templates,
            excluded.is_active, excluded.apply_to_existing_users)`),
      ),
    )
    .returning(['_id', 'scenario_name', 'channel_name'])
    .execute()
}

/** The templates of these names, in no order. */
export function selectTemplateIds(trx: Trx, organization_id: string, names: Key[]) {
  return trx
    .selectFrom('channel_templates')
    .select(['_id', 'scenario_name', 'channel_name'])
    .where('organization_id', '=', organization_id)
    .where(isAmong(names))
    .execute()
}

/** The same without their messages, locked against another change. */
export function lockTemplates(trx: Trx, organization_id: string, names: Key[]): Promise<Named[]> {
  return trx
    .selectFrom('channel_templates')
    .select(['_id', 'scenario_name', 'channel_name'])
    .where('organization_id', '=', organization_id)
    .where(isAmong(names))
    .orderBy('_id')
    .forUpdate()
    .execute()
}

/** Whole templates by their ids. */
export function selectTemplatesById(
  trx: Trx,
  organization_id: string,
  ids: string[],
): Promise<StoredTemplate[]> {
  return trx
    .selectFrom('channel_templates')
    .select(channelTemplateColumns)
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`_id = any(${ids}::uuid[])`)
    .execute()
}

/** Two parameters, however many names there are. */
function isAmong(names: Key[]) {
  const scenarios = names.map(({ scenario_name }) => scenario_name)
  const channels = names.map(({ channel_name }) => channel_name)
  return sql<boolean>`(scenario_name, channel_name) in
    (select * from unnest(${scenarios}::text[], ${channels}::text[]))`
}
