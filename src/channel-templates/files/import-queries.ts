import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import type { Database, Trx } from '../../database/schema.js'
import { channelTemplateColumns, type NewTemplate, type StoredTemplate } from '../queries.js'
import { rowBatchesOf } from '../rows/template-rows.js'
import type { TemplateKey } from './template-file.js'

type Named = TemplateKey & { _id: string }

/**
 * Inserts templates, and with `overwrite` updates existing ones, which keep their `_id`. Existing
 * templates that do not differ are not written, and no row is returned for them.
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

/** The ids of the templates with these keys, unsorted. */
export function selectTemplateIds(trx: Trx, organization_id: string, names: TemplateKey[]) {
  return trx
    .selectFrom('channel_templates')
    .select(['_id', 'scenario_name', 'channel_name'])
    .where('organization_id', '=', organization_id)
    .where(isAmong(names))
    .execute()
}

/** Locks the templates with these keys, and returns their ids. */
export function lockTemplates(
  trx: Trx,
  organization_id: string,
  names: TemplateKey[],
): Promise<Named[]> {
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

/** Two parameters for any number of keys. */
function isAmong(names: TemplateKey[]) {
  const scenarios = names.map(({ scenario_name }) => scenario_name)
  const channels = names.map(({ channel_name }) => channel_name)
  return sql<boolean>`(scenario_name, channel_name) in
    (select * from unnest(${scenarios}::text[], ${channels}::text[]))`
}
