import type { Schema } from '../contract.js'

/** The fields that a message and a reply share. */
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

/** The contract's limits: a year before or after the start, and a week after a message. */
const maxHours = 8_760
const maxMinutes = 10_080

/**
 * Fills in the defaults of fields that are left out. Old rows may have values that are refused today:
 * these count as left out.
 */
export function completeMessages(messages: Schema<'MessageTemplate'>[]): Message[] {
  return messages.map(({ offset_hours, thread_replies = [], ...message }) => ({
    ...completePost(message),
    offset_hours: numberOf(offset_hours, -maxHours, maxHours) ?? 0,
    thread_replies: thread_replies.map(({ offset_minutes, ...reply }) => ({
      ...completePost(reply),
      offset_minutes: numberOf(offset_minutes, 0, maxMinutes) ?? 0,
    })),
  }))
}

/** A stored number, or null for a value that the contract does not allow. */
export function numberOf(value: unknown, min: number, max: number): number | null {
  return typeof value === 'number' && value >= min && value <= max ? value : null
}

const completePost = (post: Partial<Post>): Post => ({
  sender_character_id: post.sender_character_id ?? '',
  content: post.content ?? '',
  metadata: post.metadata ?? {},
})

/** The ids of all senders, each once. */
export function sendersOf(messages: Message[]): string[] {
  const posts = messages.flatMap((message) => [message, ...message.thread_replies])
  return [...new Set(posts.map(({ sender_character_id }) => sender_character_id))]
}
