import type { Pieces, Schema } from '../../contract.js'
import type { FetchInTurn } from '../../database/lists/long-lists.js'
import type { Db } from '../../database/schema.js'
import { completeMessages, sendersOf } from '../messages.js'
import { type ChannelPosition, type StoredTemplate, selectChannelTemplates } from '../queries.js'
import { type Sender, selectSenders } from '../rows/sender-queries.js'

type Senders = ReadonlyMap<string, Sender>

/** A page of templates with their senders. */
export interface TemplatePage {
  templates: StoredTemplate[]
  senders: Senders
}

/** Reads the templates of an organization, or of one of its scenarios, page by page. */
export function readerOf(
  db: Db,
  fetchInTurn: FetchInTurn,
  organization_id: string,
  filters: { scenario_name: string | null },
): () => AsyncGenerator<TemplatePage> {
  async function fetchAfter(after: ChannelPosition | null) {
    const page = await selectChannelTemplates(db, { organization_id }, filters, after)
    const templates: StoredTemplate[] = JSON.parse(page.text)
    const ids = templates.flatMap((one) => sendersOf(completeMessages(one.message_templates)))
    const senders = await selectSenders(db, organization_id, [...new Set(ids)])
    return { templates, senders, last: page.last }
  }
  return async function* read() {
    let page = await fetchInTurn(() => fetchAfter(null))
    yield page
    while (page.last) {
      const after = page.last
      page = await fetchInTurn(() => fetchAfter(after))
      yield page
    }
  }
}

/** Writes the templates as a file that can be imported again. */
export async function* writeFile(read: () => AsyncIterable<TemplatePage>): Pieces {
  yield '{"format":"channel-templates","version":1,"templates":['
  let isFirst = true
  for await (const { templates, senders } of read()) {
    for (const template of templates) {
      yield `${isFirst ? '' : ','}\n${JSON.stringify(exported(template, senders))}`
      isFirst = false
    }
  }
  yield '\n]}\n'
}

function exported(
  { scenario_name, channel_name, is_active, apply_to_existing_users, ...rest }: StoredTemplate,
  senders: Senders,
): Schema<'ExportedChannelTemplate'> {
  // A deleted sender has no username: the file names the id instead.
  const nameOf = (id: string) => senders.get(id)?.username ?? id
  const message_templates = completeMessages(rest.message_templates).map((message) => ({
    sender_username: nameOf(message.sender_character_id),
    content: message.content,
    offset_hours: message.offset_hours,
    metadata: message.metadata,
    thread_replies: message.thread_replies.map((reply) => ({
      sender_username: nameOf(reply.sender_character_id),
      content: reply.content,
      offset_minutes: reply.offset_minutes,
      metadata: reply.metadata,
    })),
  }))
  return { scenario_name, channel_name, is_active, apply_to_existing_users, message_templates }
}
