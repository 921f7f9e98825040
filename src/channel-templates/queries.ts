import type { Expression, Kysely } from 'kysely'
import { sql } from 'kysely'
import { JsonText } from '../contract.js'
import { jsonColumns } from '../database/expressions.js'
import { prepareList } from '../database/lists.js'
import type { Database } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'
import type { ParametersOf } from '../database/statements.js'

type Db = Kysely<Database>

/** The contract's ChannelTemplate. */
export const channelTemplateColumns = [
  '_id',
  'organization_id',
  'scenario_name',
  'channel_name',
  'message_templates',
  'is_active',
  'apply_to_existing_users',
  'created_at',
  'updated_at',
] as const

interface Filters {
  scenario_name: string | null
}

const selectOfOrganization = prepareList(
  'select_channel_templates',
  (db, { organization_id, ...filters }: ParametersOf<Filters & { organization_id: string }>) =>
    filterTemplates(db, { organization_id }, filters).select(
      jsonColumns('channel_templates', channelTemplateColumns),
    ),
)

/** As rows: a cluster does not know the names any more when it makes JSON of several nodes' rows. */
async function selectOfEveryOrganization(db: Db, filters: Filters) {
  const rows = await filterTemplates(db, 'every organization', filters)
    .select(channelTemplateColumns)
    .execute()
  return new JsonText<typeof rows>(JSON.stringify(rows))
}

function filterTemplates(
  db: Db,
  scope: Scope<string | Expression<string>>,
  { scenario_name }: Filters | ParametersOf<Filters>,
) {
  return inScope(db.selectFrom('channel_templates'), 'channel_templates', scope)
    .$if(scenario_name !== null, (query) => query.where('scenario_name', '=', scenario_name))
    .orderBy(sql`scenario_name collate "C"`)
    .orderBy(sql`channel_name collate "C"`)
    .orderBy('_id')
}

export function selectChannelTemplates(db: Db, scope: Scope, filters: Filters) {
  return scope === 'every organization'
    ? selectOfEveryOrganization(db, filters)
    : selectOfOrganization(db, { ...scope, ...filters })
}
