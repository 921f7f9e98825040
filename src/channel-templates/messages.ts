import type { Schema } from '../contract.js'

/** A message or a reply, as far as both are alike. */
export interface Post {
  sender_character_id: string
  content: string
  metadata: Record<string, unknown>
}
export interface Reply extends Post {
  offset_minutes: number
}
export interface Message extends Post {
  offset_hours: number
  thread_replies: Reply[]
}

/** The most hours before and after the start, and the most minutes after a message. */
const mostHours = 8_760
const mostMinutes = 10_080

/**
 * Messages with every field, the defaults where one is left out. What was stored before such a value
 * was refused is treated as left out.
 */
export function completeMessages(messages: Schema<'MessageTemplate'>[]): Message[] {
  return messages.map(({ offset_hours, thread_replies = [], ...message }) => ({
    ...completePost(message),
    offset_hours: numberOf(offset_hours, -mostHours, mostHours) ?? 0,
    thread_replies: thread_replies.map(({ offset_minutes, ...reply }) => ({
      ...completePost(reply),
      offset_minutes: numberOf(offset_minutes, 0, mostMinutes) ?? 0,
    })),
  }))
}

/** A stored number, or null for a value that the contract does not allow. */
export function numberOf(value: unknown, least: number, most: number): number | null {
  return typeof value === 'number' && value >= least && value <= most ? value : null
}

const completePost = (post: Partial<Post>): Post => ({
  sender_character_id: post.sender_character_id ?? '',
  content: post.content ?? '',
  metadata: post.metadata ?? {},
})

/** The ids of all who speak, each once. */
export function sendersOf(messages: Message[]): string[] {
  const posts = messages.flatMap((message) => [message, ...message.thread_replies])
  return [...new Set(posts.map(({ sender_character_id }) => sender_character_id))]
}
