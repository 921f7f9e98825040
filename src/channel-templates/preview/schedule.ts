import { type Rendered, render, type Values } from '../linting/variables.js'
import type { Message, Reply } from '../messages.js'

interface Posted extends Rendered {
  /** When it is posted, in milliseconds since 1970. */
  at: number
}
export interface PostedMessage extends Omit<Message, 'content' | 'thread_replies'>, Posted {
  thread_replies: (Reply & Posted)[]
}

const minute = 60_000
const hour = 60 * minute

/** Renders messages and replies, and sorts them by the time of posting. */
export function schedule(messages: Message[], start: number, values: Values): PostedMessage[] {
  const posted = messages.map((message) => {
    const at = start + message.offset_hours * hour
    const replies = message.thread_replies.map((reply) => ({
      ...reply,
      ...render(reply.content, values),
      at: at + reply.offset_minutes * minute,
    }))
    const rendered = render(message.content, values)
    return { ...message, ...rendered, at, thread_replies: replies.sort(byPosting) }
  })
  return posted.sort(byPosting)
}

/** Sorting is stable: posts of the same time keep their order. */
const byPosting = (a: Posted, b: Posted) => a.at - b.at
