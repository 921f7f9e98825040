import { sql } from 'kysely'
import { prepareList } from '../database/lists.js'
import { channelTemplateColumns } from './columns.js'

interface ChannelTemplateFilters {
  /** Null for those of every organization. */
  organization_id: string | null
  scenario_name: string | null
}

export const selectChannelTemplates = prepareList(
  'select_channel_templates',
  (db, { organization_id, scenario_name }: ChannelTemplateFilters) =>
    db
      .selectFrom('channel_templates')
      .select(channelTemplateColumns)
      .$if(organization_id !== null, (query) =>
        query.where('organization_id', '=', organization_id),
      )
      .$if(scenario_name !== null, (query) => query.where('scenario_name', '=', scenario_name))
      .orderBy(sql`scenario_name collate "C"`)
      .orderBy(sql`channel_name collate "C"`)
      .orderBy('_id'),
)
