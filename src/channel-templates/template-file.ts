import type { Transaction } from 'kysely'
import type { Schema } from '../contract.js'
import type { Database } from '../database/schema.js'
import { type Fault, throwFaults, valueFault } from '../errors.js'
import { doubtsIn, faultsIn, firstOf, type Place } from './lint.js'
import { completeMessages, type Message } from './messages.js'
import { type Sender, selectSendersByName } from './sender-queries.js'

type Trx = Transaction<Database>
type FileTemplate = Schema<'ExportedChannelTemplate'>

/** A template of a file, with the ids of its senders. */
export interface Template extends Omit<FileTemplate, 'message_templates'> {
  message_templates: Message[]
}

/** By what a template is known in an organization. */
export type Key = { scenario_name: string; channel_name: string }
export const keyOf = ({ scenario_name, channel_name }: Key) =>
  JSON.stringify([scenario_name, channel_name])

/** The templates of a file with the ids of their senders in an organization, and all doubts. */
export async function readTemplates(trx: Trx, organization_id: string, file: FileTemplate[]) {
  const names = file.flatMap(({ message_templates }) =>
    message_templates.flatMap((one) => [one, ...one.thread_replies].map((p) => p.sender_username)),
  )
  const byName = await selectSendersByName(trx, organization_id, [...new Set(names)])
  const templates = file.map((template) => withSenderIds(template, byName))
  const senders = new Map([...byName.values()].map((sender) => [sender._id, sender]))
  const faults = firstOf(faultsOf(templates, senders))
  throwFaults(faults)
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
      const loc = ['body', 'templates', String(i), 'channel_name']
      yield valueFault(loc, 'the file has another template of this scenario and channel')
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
