import type { Schema } from '../../contract.js'
import type { Db } from '../../database/schema.js'
import { type Fault, throwFaults, valueFault } from '../../faults.js'
import type { Pause } from '../../turns/slices.js'
import { branchingOf } from '../branches/read-scenario.js'
import { FaultList, faultsIn, type MessagesLoc, warningsIn } from '../linting/lint.js'
import { completeMessages, type Message } from '../messages.js'
import { type Sender, selectSenders, selectSendersByName } from '../rows/sender-queries.js'
import { addScenarioWarnings, type FileBranching } from './file-scenarios.js'

type FileTemplate = Schema<'ExportedChannelTemplate'>

/** A template of a file, with the ids of its senders. */
export interface Template extends Omit<FileTemplate, 'message_templates'> {
  message_templates: Message[]
}

/** Identifies a template in its organization. */
export type TemplateKey = { scenario_name: string; channel_name: string }
export const keyOf = ({ scenario_name, channel_name }: TemplateKey) =>
  JSON.stringify([scenario_name, channel_name])

/**
 * Reads the templates of a file: with the ids of their senders, and with the first warnings. Throws
 * 422 with the first faults. A long file takes long, so call it before the transaction.
 */
export async function readTemplates(
  db: Db,
  organization_id: string,
  file: FileTemplate[],
  pause: Pause,
) {
  const byName = await selectSendersByName(db, organization_id, await namesIn(file, pause))
  const senders = new Map([...byName.values()].map((sender) => [sender._id, sender]))
  const templates: Template[] = []
  const faults = new FaultList()
  const warnings = new FaultList()
  const known = new Set<string>()
  const branching: FileBranching[] = []
  for (const [i, one] of file.entries()) {
    await pause()
    const template = withSenderIds(one, byName)
    templates.push(template)
    if (known.has(keyOf(template))) faults.add([sameChannel(i)])
    known.add(keyOf(template))
    faults.add(faultsIn(template.message_templates, senders, locOf(i)))
    warnings.add(warningsIn(template.message_templates, locOf(i)))
    const { scenario_name, is_active } = template
    const { loc } = locOf(i)
    if (is_active) branching.push({ scenario_name, loc, ...branchingOf(template, loc) })
  }
  throwFaults(faults.all)
  await addScenarioWarnings(db, { organization_id, templates, branching }, warnings, pause)
  return { templates, sender_ids: [...senders.keys()], warnings: warnings.all }
}

/** Locks the senders until their templates are stored. Throws 422 if one was deleted meanwhile. */
export async function lockSenders(db: Db, organization_id: string, sender_ids: string[]) {
  const locked = await selectSenders(db, organization_id, sender_ids, { lock: 'key share' })
  if (locked.size === new Set(sender_ids).size) return
  throwFaults([
    valueFault(
      ['body', 'templates'],
      'unknown_character',
      'a sender was deleted meanwhile; try again',
    ),
  ])
}

/** The usernames of all senders in a file, each once. */
async function namesIn(file: FileTemplate[], pause: Pause): Promise<string[]> {
  const names = new Set<string>()
  for (const { message_templates } of file) {
    await pause()
    for (const { sender_username, thread_replies } of message_templates) {
      names.add(sender_username)
      for (const reply of thread_replies) names.add(reply.sender_username)
    }
  }
  return [...names]
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

const locOf = (index: number): MessagesLoc => ({
  loc: ['body', 'templates', String(index), 'message_templates'],
  senderField: 'sender_username',
})

const sameChannel = (index: number): Fault =>
  valueFault(
    ['body', 'templates', String(index), 'channel_name'],
    'duplicate',
    'the file has another template of this scenario and channel',
  )
