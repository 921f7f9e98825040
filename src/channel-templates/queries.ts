import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.js'
import { channelTemplateColumns } from './columns.js'

/** Of one organization, or of all when it is null. */
export function selectChannelTemplates(
  db: Kysely<Database>,
  organization_id: string | null,
  scenario_name: string | null,
) {
  return db
    .selectFrom('channel_templates')
    .select(channelTemplateColumns)
    .$if(organization_id !== null, (query) => query.where('organization_id', '=', organization_id))
    .$if(scenario_name !== null, (query) => query.where('scenario_name', '=', scenario_name))
    .orderBy('scenario_name')
    .orderBy('channel_name')
    .orderBy('_id')
}
