import type { Insertable, Transaction } from 'kysely'
import type { Database } from '../database/schema.js'

type Trx = Transaction<Database>

/** What templates of a scenario there are, and which setup made them. */
export function selectTemplateOrigins(trx: Trx, organization_id: string, scenario_name: string) {
  return trx
    .selectFrom('channel_templates')
    .select(['_id', 'channel_name as name', 'setup_id'])
    .where('organization_id', '=', organization_id)
    .where('scenario_name', '=', scenario_name)
    .execute()
}

export async function upsertTemplates(
  trx: Trx,
  templates: Insertable<Database['channel_templates']>[],
): Promise<void> {
  if (templates.length === 0) return
  await trx
    .insertInto('channel_templates')
    .values(templates)
    .onConflict((conflict) =>
      conflict.constraint('channel_templates_primary_key').doUpdateSet((eb) => ({
        message_templates: eb.ref('excluded.message_templates'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
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
