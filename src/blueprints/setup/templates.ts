import * as queries from '../../channel-templates/rows/setup-queries.js'
import type { Schema } from '../../contract.js'
import type { Trx } from '../../database/schema.js'
import type { Bundle, BundleMessage } from '../bundle/compose.js'
import type { TemplateRow } from './changes.js'
import { planRows, type Setup } from './reconcile.js'

type Channel = Bundle['channels'][number]

/** Plans a template for each channel of the bundle. The senders are the users of its cast. */
export async function planTemplates(
  trx: Trx,
  setup: Setup,
  { channels }: Bundle,
  userIds: ReadonlyMap<string, string>,
) {
  const { organization_id, _id: setup_id, applied_at, scenario_type: scenario_name } = setup
  const wanted = new Map(channels.map((channel) => [channel.channel_name, channel]))
  const existing = await selectExisting(trx, setup)
  const messagesOf = ({ message_templates }: Channel) => ({
    message_templates: message_templates.map((message) => messageTemplate(message, userIds)),
    updated_at: applied_at,
  })
  const settings = { is_active: true, apply_to_existing_users: false, created_at: applied_at }
  const { changes, skip, rowsAfter } = planRows<Channel, TemplateRow, queries.Messages>(setup, {
    wanted,
    existing,
    newRow: (channel) => {
      const { channel_name } = channel
      return { setup_id, scenario_name, channel_name, ...settings, ...messagesOf(channel) }
    },
    newValues: messagesOf,
    nameOf: ({ channel_name }) => channel_name,
  })
  const skipped = skip.map(({ item: { name }, reason }) => {
    return { kind: 'channel_template', name, reason }
  })
  return {
    changes,
    skipped,
    ids: new Map(rowsAfter.map(({ channel_name, _id }) => [channel_name, _id])),
    payload: () =>
      rowsAfter
        .sort((one, other) => (one.channel_name < other.channel_name ? -1 : 1))
        .map(({ setup_id, ...template }) => ({ organization_id, ...template })),
  }
}

/** All templates of the scenario. Those that this setup made come with their row. */
async function selectExisting(trx: Trx, { _id: setup_id, isNew, ...setup }: Setup) {
  const { organization_id, scenario_type: scenario_name } = setup
  const origin = { organization_id, setup_id, scenario_name }
  const stored = isNew ? [] : await queries.selectTemplatesOfSetup(trx, origin, setup)
  const all = await queries.selectTemplateOrigins(trx, organization_id, scenario_name)
  return [
    ...all.filter((one) => one.setup_id !== setup_id).map((one) => ({ ...one, row: null })),
    ...stored.map(({ organization_id, _id, ...row }) => {
      return { _id, name: row.channel_name, setup_id, row }
    }),
  ]
}

function messageTemplate(
  { sender, thread_replies, ...message }: BundleMessage,
  userIds: ReadonlyMap<string, string>,
): Schema<'MessageTemplate'> {
  return {
    sender_character_id: userIdOf(sender, userIds),
    ...message,
    thread_replies: thread_replies.map(({ sender, ...reply }) => ({
      sender_character_id: userIdOf(sender, userIds),
      ...reply,
    })),
  }
}

function userIdOf(key: string, userIds: ReadonlyMap<string, string>): string {
  const _id = userIds.get(key)
  if (!_id) throw new Error(`The bundle has no character ${key}`)
  return _id
}
