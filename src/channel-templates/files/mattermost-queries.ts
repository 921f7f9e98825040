import { sql } from 'kysely'
import type { Db } from '../../database/schema.js'

/** The names of all active channels of an organization, in the order of the list of templates. */
export function selectActiveChannels(
  db: Db,
  organization_id: string,
): Promise<{ _id: string; channel_name: string }[]> {
  return db
    .selectFrom('channel_templates')
    .select(['_id', 'channel_name'])
    .where('organization_id', '=', organization_id)
    .where('is_active', '=', true)
    .orderBy(sql`scenario_name collate "C"`)
    .orderBy(sql`channel_name collate "C"`)
    .orderBy('_id')
    .execute()
}
