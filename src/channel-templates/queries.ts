import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import { jsonColumns } from '../database/expressions.js'
import { type ListPage, preparePage } from '../database/lists/lists.js'
import type { Order, Position } from '../database/lists/pages.js'
import { selectPageOfRows } from '../database/lists/row-pages.js'
import type { Db } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'
import type { ParametersOf } from '../database/statements.js'
import { isId } from '../formats/identifiers.js'

export type StoredTemplate = Required<Schema<'ChannelTemplate'>> & {
  _id: string
  organization_id: string
}

/** A template before it is stored. */
export type NewTemplate = Omit<StoredTemplate, 'created_at' | 'updated_at'>

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

const isText = (text: string) => text.isWellFormed() && !text.includes('\0')

/** Sorted by scenario, then by channel. */
type ChannelColumn = 'scenario_name' | 'channel_name' | '_id'
export const byChannel: Order<ChannelColumn> = {
  scenario_name: isText,
  channel_name: isText,
  _id: isId,
}
/** How many are read at a time: each may have 256 KiB of messages. */
export const templateBatchSize = 20
/** About how many messages are parsed or written at a time, which takes a few milliseconds. */
export const messageBatchSize = 500

export type ChannelPosition = Position<ChannelColumn>

interface Filters {
  scenario_name: string | null
}
type After = Record<`after_${ChannelColumn}`, string | null>
type Paged = Filters & After

function afterChannel(position: ChannelPosition | null): After {
  const { scenario_name = null, channel_name = null, _id = null } = position ?? {}
  return {
    after_scenario_name: scenario_name,
    after_channel_name: channel_name,
    after__id: _id,
  }
}

const selectOfOrganization = preparePage(
  'select_channel_templates',
  (db, { organization_id, ...filters }: ParametersOf<Paged & { organization_id: string }>) =>
    filterTemplates(db, { organization_id }, filters).select(
      jsonColumns('channel_templates', channelTemplateColumns),
    ),
  { order: byChannel, pageSize: templateBatchSize, hasLongRows: true },
)

function selectOfEveryOrganization(db: Db, filters: Paged, limit?: number) {
  const read = (next: Partial<After>) =>
    filterTemplates(db, 'every organization', { ...filters, ...next }).select(
      channelTemplateColumns,
    )
  return selectPageOfRows({ order: byChannel, after: afterChannel, read }, limit)
}

function filterTemplates(
  db: Db,
  scope: Scope<string | Expression<string>>,
  { scenario_name, ...after }: Paged | ParametersOf<Paged>,
) {
  const { after_scenario_name, after_channel_name, after__id } = after
  // The collation of the index: it sorts by bytes on every server.
  const scenario = sql<string>`scenario_name collate "C"`
  const channel = sql<string>`channel_name collate "C"`
  const later = sql<boolean>`(${scenario}, ${channel}, _id) >
    (${after_scenario_name}, ${after_channel_name}, ${after__id})`
  return inScope(db.selectFrom('channel_templates'), 'channel_templates', scope)
    .$if(scenario_name !== null, (query) => query.where(scenario, '=', scenario_name))
    .$if(after__id !== null, (query) => query.where(later))
    .orderBy(scenario)
    .orderBy(channel)
    .orderBy('_id')
}

/** A page of templates after a position, sorted by scenario and channel. */
export function selectChannelTemplates(
  db: Db,
  scope: Scope,
  { scenario_name }: Filters,
  after: ChannelPosition | null = null,
  limit = templateBatchSize,
  longest?: number,
): Promise<ListPage<Schema<'ChannelTemplate'>, ChannelColumn>> {
  const filters = { scenario_name, ...afterChannel(after) }
  return scope === 'every organization'
    ? selectOfEveryOrganization(db, filters, limit)
    : selectOfOrganization(db, { ...scope, ...filters }, limit, longest)
}

/** A template, if it is in the scope. */
export function selectTemplate(db: Db, scope: Scope, template_id: string) {
  return inScope(db.selectFrom('channel_templates'), 'channel_templates', scope)
    .select(channelTemplateColumns)
    .where('_id', '=', template_id)
    .executeTakeFirst()
}
