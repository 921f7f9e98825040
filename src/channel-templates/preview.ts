import type { Schema } from '../contract.js'
import { completeMessages, type Post } from './messages.js'
import type { StoredTemplate } from './queries.js'
import { schedule } from './schedule.js'
import type { Sender } from './sender-queries.js'
import { cutWarning, mostWarnings, type Values } from './variables.js'
import type { TimeZone } from './zoned-times.js'

interface Setting {
  start: number
  zone: TimeZone
  values: Values
  senders: ReadonlyMap<string, Sender>
}

/** What is posted of a template in a session, and when by the clocks of a zone. */
export function previewOf(
  { _id: template_id, channel_name, scenario_name, message_templates }: StoredTemplate,
  { start, zone, values, senders }: Setting,
): Schema<'ChannelTemplatePreview'> {
  const post = ({ sender_character_id, content, metadata, at }: Post & { at: number }) => {
    const sender = senders.get(sender_character_id)
    const sender_name = sender ? (sender.full_name ?? sender.username) : null
    return { sender_character_id, sender_name, content, post_at: zone.write(at), metadata }
  }
  const messages = schedule(completeMessages(message_templates), start, values)
  return {
    template_id,
    channel_name,
    scenario_name,
    start_at: zone.write(start),
    time_zone: zone.name,
    messages: messages.map(({ thread_replies, ...message }) => ({
      ...post(message),
      thread_replies: thread_replies.map(post),
    })),
    warnings: messages
      .flatMap((message) => [message, ...message.thread_replies])
      .filter(({ isCut }) => isCut)
      .slice(0, mostWarnings)
      .map(({ content }) => cutWarning(channel_name, content)),
  }
}
