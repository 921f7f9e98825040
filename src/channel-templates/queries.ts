import type { Expression, Insertable, Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import { JsonText } from '../contract.js'
import { jsonColumns } from '../database/expressions.js'
import { prepareList } from '../database/lists.js'
import type { Database } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'
import type { ParametersOf } from '../database/statements.js'

type Db = Kysely<Database>
type Trx = Transaction<Database>

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
