import type { Transaction } from 'kysely'
import * as queries from '../channel-templates/setup-queries.js'
import type { Schema } from '../contract.js'
import { jsonb } from '../database/expressions.js'
import type { Database } from '../database/schema.js'
import { createId } from '../identifiers.js'
import type { Bundle, BundleMessage } from './bundle/compose.js'
import { type Outcome, reconcile, type Setup } from './reconcile.js'

/** Writes the bundle's channels as templates whose senders are the users that play its cast. */
export async function applyTemplates(
  trx: Transaction<Database>,
  setup: Setup,
  { channels }: Bundle,
  userIds: ReadonlyMap<string, string>,
): Promise<Outcome & { template_ids: string[] }> {
  const { organization_id, _id: setup_id, scenario_type: scenario_name } = setup
  const wanted = new Map(channels.map((channel) => [channel.channel_name, channel]))
  const present = await queries.selectTemplateOrigins(trx, organization_id, scenario_name)
  const { create, replace, remove, leave, ids } = reconcile(setup, wanted, present)

  const created = create.map(([name, item]) => {
    const _id = createId()
    ids.set(name, _id)
    return { _id, item }
  })
  const rows = [...created, ...replace].map(({ _id, item }) => {
    const messages = item.message_templates.map((message) => messageTemplate(message, userIds))
    return {
      organization_id,
      _id,
      setup_id,
      scenario_name,
      channel_name: item.channel_name,
      message_templates: jsonb(messages),
    }
  })
  await queries.upsertTemplates(trx, rows)
  await queries.deleteTemplates(trx, organization_id, remove)
  return {
    created: created.length,
    updated: replace.length,
    removed: remove.length,
    skipped: leave.map((left) => ({ kind: 'channel_template', ...left })),
    template_ids: [...wanted.keys()].flatMap((name) => ids.get(name) ?? []),
  }
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
