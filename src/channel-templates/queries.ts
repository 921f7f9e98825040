import type { Expression, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../contract.js'
import { jsonColumns } from '../database/expressions.js'
import { type Page, preparePage } from '../database/lists.js'
import type { Order, Position } from '../database/pages.js'
import { selectPageOfRows } from '../database/row-pages.js'
import type { Database } from '../database/schema.js'
import { inScope, type Scope } from '../database/scope.js'
import type { ParametersOf } from '../database/statements.js'
import { isId } from '../identifiers.js'

type Db = Kysely<Database>
export type StoredTemplate = Required<Schema<'ChannelTemplate'>> & {
  _id: string
  organization_id: string
}

/** One that is about to be stored. */
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

/** By which templates are listed. */
type ChannelColumn = 'scenario_name' | 'channel_name' | '_id'
export const byChannel: Order<ChannelColumn> = {
  scenario_name: isText,
  channel_name: isText,
  _id: isId,
}
/** How many are read at a time: each may have 256 KiB of messages. */
export const templatesAtOnce = 20
/** About how many messages are parsed or written at a time, which takes a few milliseconds. */
export const messagesAtOnce = 500

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
  { order: byChannel, after: afterChannel, usual: templatesAtOnce, ofLongRows: 2 },
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
  // Each with the collation of the index, which is that of bytes on every server.
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

/** A page of templates, by scenario and channel, after a position. */
export function selectChannelTemplates(
  db: Db,
  scope: Scope,
  { scenario_name }: Filters,
  after: ChannelPosition | null = null,
  limit = templatesAtOnce,
  longest?: number,
): Promise<Page<Schema<'ChannelTemplate'>, ChannelColumn>> {
  const filters = { scenario_name, ...afterChannel(after) }
  return scope === 'every organization'
    ? selectOfEveryOrganization(db, filters, limit)
    : selectOfOrganization(db, { ...scope, ...filters }, limit, longest)
}

/** A template, as far as the scope lets it be found. */
export function selectTemplate(db: Db, scope: Scope, template_id: string) {
  return inScope(db.selectFrom('channel_templates'), 'channel_templates', scope)
    .select(channelTemplateColumns)
    .where('_id', '=', template_id)
    .executeTakeFirst()
}
