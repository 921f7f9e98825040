import type { Transaction } from 'kysely'
import type { AuditEvent } from '../audit-events/record.js'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { type Fault, templateExists, validationFailed } from '../errors.js'
import { createId } from '../identifiers.js'
import { updatedEvent } from './changes.js'
import { insertTemplates, selectTemplateIds, takeTemplates } from './import-queries.js'
import { doubtsIn, faultsIn, firstOf, type Place } from './lint.js'
import { completeMessages, type Message } from './messages.js'
import { type Sender, selectSendersByName } from './sender-queries.js'

type Trx = Transaction<Database>
type FileTemplate = Schema<'ExportedChannelTemplate'>
interface Template extends Omit<FileTemplate, 'message_templates'> {
  message_templates: Message[]
}

/** The templates of a file with the ids of their senders in an organization, and all doubts. */
export async function readTemplates(trx: Trx, organization_id: string, file: FileTemplate[]) {
  const names = file.flatMap(({ message_templates }) =>
    message_templates.flatMap((one) => [one, ...one.thread_replies].map((p) => p.sender_username)),
  )
  const byName = await selectSendersByName(trx, organization_id, [...new Set(names)])
  const templates = file.map((template) => withSenderIds(template, byName))
  const senders = new Map([...byName.values()].map((sender) => [sender._id, sender]))
  const faults = firstOf(faultsOf(templates, senders))
  if (faults.length > 0) throw validationFailed(faults)
  return { templates, warnings: firstOf(doubtsOf(templates)) }
}

function withSenderIds(template: FileTemplate, byName: ReadonlyMap<string, Sender>): Template {
  const withId = <Post extends { sender_username: string }>({
    sender_username,
    ...post
  }: Post) => ({
    ...post,
    sender_character_id: byName.get(sender_username)?._id ?? '',
  })
  const messages = template.message_templates.map(({ thread_replies, ...message }) => ({
    ...withId(message),
    thread_replies: thread_replies.map(withId),
  }))
  return { ...template, message_templates: completeMessages(messages) }
}

const placeOf = (index: number): Place => ({
  loc: ['body', 'templates', String(index), 'message_templates'],
  senderField: 'sender_username',
})

function* faultsOf(templates: Template[], senders: ReadonlyMap<string, Sender>): Generator<Fault> {
  const seen = new Set<string>()
  for (const [i, template] of templates.entries()) {
    if (seen.has(keyOf(template))) {
      const msg = 'Value error, the file has another template of this scenario and channel'
      yield { loc: ['body', 'templates', String(i), 'channel_name'], msg, type: 'value_error' }
    }
    seen.add(keyOf(template))
    yield* faultsIn(template.message_templates, senders, placeOf(i))
  }
}

function* doubtsOf(templates: Template[]): Generator<Fault> {
  for (const [i, { message_templates }] of templates.entries()) {
    yield* doubtsIn(message_templates, placeOf(i))
  }
}

type Key = { scenario_name: string; channel_name: string }
const keyOf = ({ scenario_name, channel_name }: Key) =>
  JSON.stringify([scenario_name, channel_name])

/** Stores templates, all or none, and tells which of them are new and which have changed. */
export async function storeTemplates(
  trx: Trx,
  organization_id: string,
  templates: Template[],
  overwrite: boolean,
) {
  const rows = templates.map((template) => ({ ...template, organization_id, _id: createId() }))
  if (rows.length === 0) return { created: [], updated: [], ids: [] }
  const scenarios = [...new Set(rows.map(({ scenario_name }) => scenario_name))]
  const present = overwrite ? await takeTemplates(trx, organization_id, scenarios) : []
  const before = new Map(present.map((row) => [keyOf(row), row]))
  const written = new Set((await insertTemplates(trx, rows, overwrite)).map(({ _id }) => _id))
  const stored = await selectTemplateIds(trx, organization_id, scenarios)
  const ids = new Map(stored.map((row) => [keyOf(row), row._id]))
  const created = rows.filter(({ _id }) => written.has(_id))
  const updated = rows.flatMap((row) => {
    const old = before.get(keyOf(row))
    if (!old || !written.has(old._id)) return []
    return [{ before: old, after: { ...old, ...row, _id: old._id } }]
  })
  // What somebody has made meanwhile was not read, and so could not be recorded.
  if (written.size > created.length + updated.length) throw templateExists()
  return { created, updated, ids: rows.map((row) => ids.get(keyOf(row)) ?? row._id) }
}

type Stored = Awaited<ReturnType<typeof storeTemplates>>

/** What somebody replaced by an import, and that they did; none where the file changed nothing. */
export function importEvents(organization_id: string, { created, updated }: Stored): AuditEvent[] {
  if (created.length + updated.length === 0) return []
  const event_type = 'channel_templates_imported'
  const names = (rows: (Key & { _id: string })[]) =>
    rows.map(({ _id: template_id, scenario_name, channel_name }) => {
      return { template_id, scenario_name, channel_name }
    })
  const replaced = updated.flatMap(({ before, after }) => updatedEvent(before, after) ?? [])
  const metadata = { created: names(created), updated: names(updated.map(({ after }) => after)) }
  return [...replaced, { organization_id, category: 'channel_template', event_type, metadata }]
}
