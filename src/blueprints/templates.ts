import type { Transaction } from 'kysely'
import * as queries from '../channel-templates/setup-queries.js'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { createId } from '../identifiers.js'
import type { Bundle, BundleMessage } from './bundle/compose.js'
import { replacement, type TemplateChange } from './changes.js'
import { reconcile, type Setup } from './reconcile.js'

type Trx = Transaction<Database>

/** Makes the bundle's channels templates whose senders are the users that play its cast. */
export async function planTemplates(
  trx: Trx,
  setup: Setup,
  { channels }: Bundle,
  userIds: ReadonlyMap<string, string>,
) {
  const { organization_id, _id: setup_id, time, scenario_type: scenario_name } = setup
  const wanted = new Map(channels.map((channel) => [channel.channel_name, channel]))
  const present = await selectPresent(trx, setup)
  const { create, replace, remove, leave } = reconcile(setup, wanted, present)

  const messagesOf = ({ message_templates }: Bundle['channels'][number]) => ({
    message_templates: message_templates.map((message) => messageTemplate(message, userIds)),
    updated_at: time,
  })
  const created = create.map(([channel_name, channel]) => {
    const settings = { is_active: true, apply_to_existing_users: false, created_at: time }
    const after = { setup_id, scenario_name, channel_name, ...settings, ...messagesOf(channel) }
    return { _id: createId(), name: channel_name, before: null, after }
  })
  const replaced = replace.flatMap(({ item: { row, ...named }, by }) =>
    row ? [replacement<queries.Messages>(named, row, messagesOf(by))] : [],
  )
  const removed = remove.flatMap(({ _id, name, row: before }) =>
    before ? [{ _id, name, before, after: null }] : [],
  )
  const gone = new Set(remove.map(({ _id }) => _id))
  const anew = new Map(replaced.map(({ _id, after }) => [_id, after]))
  const made = [
    ...present.flatMap(({ _id, row }) =>
      row && !gone.has(_id) ? [{ ...row, ...anew.get(_id), _id }] : [],
    ),
    ...created.map(({ _id, after }) => ({ ...after, _id })),
  ]
  return {
    changes: [...removed, ...replaced, ...created] satisfies TemplateChange[],
    skipped: leave.map(({ item: { name }, reason }) => ({
      kind: 'channel_template',
      name,
      reason,
    })),
    ids: new Map(made.map(({ channel_name, _id }) => [channel_name, _id])),
    made: () =>
      made
        .sort((one, other) => (one.channel_name < other.channel_name ? -1 : 1))
        .map(({ setup_id, ...template }) => ({ organization_id, ...template })),
  }
}

/** What templates the scenario has, those that this setup made in full. */
async function selectPresent(trx: Trx, { _id: setup_id, isNew, ...setup }: Setup) {
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
