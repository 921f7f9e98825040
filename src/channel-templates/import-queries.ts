import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { channelTemplateColumns, type NewTemplate, type StoredTemplate } from './queries.js'

type Trx = Transaction<Database>

/**
 * Inserts templates by one statement. Where some may be there already, these are written anew and
 * keep their `_id`, and those that are the same already are left alone: no row comes back for them.
 */
export function upsertTemplates(trx: Trx, templates: NewTemplate[], overwrite: boolean) {
  return trx
    .insertInto('channel_templates')
    .values(templates.map((row) => ({ ...row, message_templates: jsonb(row.message_templates) })))
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

/** The ids of the templates of some scenarios. */
export function selectTemplateIds(trx: Trx, organization_id: string, scenario_names: string[]) {
  return trx
    .selectFrom('channel_templates')
    .select(['_id', 'scenario_name', 'channel_name'])
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`scenario_name = any(${scenario_names}::text[])`)
    .execute()
}

/** The templates of some scenarios, locked against another change. */
export function selectTemplatesForUpdate(
  trx: Trx,
  organization_id: string,
  scenario_names: string[],
): Promise<StoredTemplate[]> {
  return trx
    .selectFrom('channel_templates')
    .select(channelTemplateColumns)
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`scenario_name = any(${scenario_names}::text[])`)
    .orderBy('_id')
    .forUpdate()
    .execute()
}
