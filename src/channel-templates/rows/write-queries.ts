import type { Insertable } from 'kysely'
import { jsonb, laterThan } from '../../database/expressions.js'
import type { Database, Trx } from '../../database/schema.js'
import { channelTemplateColumns, type StoredTemplate } from '../queries.js'

export function selectTemplateForUpdate(trx: Trx, organization_id: string, template_id: string) {
  return trx
    .selectFrom('channel_templates')
    .select(channelTemplateColumns)
    .where('organization_id', '=', organization_id)
    .where('_id', '=', template_id)
    .forUpdate()
    .executeTakeFirst()
}

export function insertTemplate(trx: Trx, template: Insertable<Database['channel_templates']>) {
  return trx
    .insertInto('channel_templates')
    .values(template)
    .returning(channelTemplateColumns)
    .executeTakeFirstOrThrow()
}

/** Updates a template. A renamed template no longer belongs to the setup that made it. */
export function updateTemplate(trx: Trx, wanted: StoredTemplate, isRenamed: boolean) {
  const { _id, organization_id, created_at, message_templates, ...fields } = wanted
  return trx
    .updateTable('channel_templates')
    .set({
      ...fields,
      ...(isRenamed && { setup_id: null }),
      message_templates: jsonb(message_templates),
      updated_at: laterThan(wanted.updated_at),
    })
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .returning(channelTemplateColumns)
    .executeTakeFirstOrThrow()
}

export async function deleteTemplate(trx: Trx, { organization_id, _id }: StoredTemplate) {
  await trx
    .deleteFrom('channel_templates')
    .where('organization_id', '=', organization_id)
    .where('_id', '=', _id)
    .execute()
}
