import { sql } from 'kysely'
import type { Schema } from '../../contract.js'
import type { Db } from '../../database/schema.js'
import { messageBatchSize, templateBatchSize } from '../queries.js'

export interface Channel {
  channel_id: string
  channel_name: string
}

/** The first `limit` active channels of a scenario, sorted by name. */
export function selectActiveChannels(
  db: Db,
  organization_id: string,
  scenario_name: string,
  limit: number,
): Promise<Channel[]> {
  return db
    .selectFrom('channel_templates')
    .select(['_id as channel_id', 'channel_name'])
    .where('organization_id', '=', organization_id)
    .where('scenario_name', '=', scenario_name)
    .where('is_active', '=', true)
    .orderBy('channel_name')
    .orderBy('_id')
    .limit(limit)
    .execute()
}

/** A channel with its prepared messages. */
export interface PreparedChannel<C> {
  channel: C
  message_templates: Schema<'MessageTemplate'>[]
}

/** Reads what is prepared for channels, in their order, a few at a time. */
export async function* readPrepared<C extends Channel>(
  db: Db,
  organization_id: string,
  channels: C[],
): AsyncGenerator<PreparedChannel<C>> {
  let batchSize = 1
  for (let i = 0; i < channels.length; ) {
    const some = channels.slice(i, i + batchSize)
    i += some.length
    const ids = some.map(({ channel_id }) => channel_id)
    const rows = await selectMessages(db, organization_id, ids)
    const byId = new Map(rows.map((row) => [row._id, row.message_templates]))
    for (const channel of some) {
      yield { channel, message_templates: byId.get(channel.channel_id) ?? [] }
    }
    const messages = rows.reduce((sum, { message_templates: { length } }) => sum + length, 0)
    const isMuch = messages > messageBatchSize / 2
    batchSize = isMuch ? Math.ceil(batchSize / 2) : Math.min(batchSize * 2, templateBatchSize)
  }
}

function selectMessages(db: Db, organization_id: string, ids: string[]) {
  return db
    .selectFrom('channel_templates')
    .select(['_id', 'message_templates'])
    .where('organization_id', '=', organization_id)
    .where(sql<boolean>`_id = any(${ids}::uuid[])`)
    .execute()
}
