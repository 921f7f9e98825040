import type { IANAZone } from 'luxon'
import type { Schema } from '../../contract.js'
import { messagesOn, type Path } from '../branches/path.js'
import { cutWarning, maxWarnings, type Values } from '../linting/variables.js'
import { completeMessages, type Post } from '../messages.js'
import type { StoredTemplate } from '../queries.js'
import type { Sender } from '../rows/sender-queries.js'
import { schedule } from './schedule.js'
import { formatZoned } from './zoned-times.js'

interface Setting {
  start: number
  /** As the request spells it. */
  time_zone: string
  zone: IANAZone
  values: Values
  senders: ReadonlyMap<string, Sender>
  /** Only the messages on this path; null for all. */
  path: Path | null
}

/** The messages of a template as a session posts them, with their times in a time zone. */
export function previewOf(
  { _id: template_id, channel_name, scenario_name, message_templates }: StoredTemplate,
  { start, time_zone, zone, values, senders, path }: Setting,
): Schema<'ChannelTemplatePreview'> {
  const post = ({ sender_character_id, content, metadata, at }: Post & { at: number }) => {
    const sender = senders.get(sender_character_id)
    const sender_name = sender ? (sender.full_name ?? sender.username) : null
    return { sender_character_id, sender_name, content, post_at: formatZoned(at, zone), metadata }
  }
  const all = completeMessages(message_templates)
  const messages = schedule(path ? messagesOn(path, all) : all, start, values)
  return {
    template_id,
    channel_name,
    scenario_name,
    start_at: formatZoned(start, zone),
    time_zone,
    messages: messages.map(({ thread_replies, ...message }) => ({
      ...post(message),
      thread_replies: thread_replies.map(post),
    })),
    warnings: messages
      .flatMap((message) => [message, ...message.thread_replies])
      .filter(({ isCut }) => isCut)
      .slice(0, maxWarnings)
      .map(({ content }) => cutWarning(channel_name, content)),
  }
}
