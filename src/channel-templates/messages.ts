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

/** Messages with every field, the defaults where one is left out. */
export function completeMessages(messages: Schema<'MessageTemplate'>[]): Message[] {
  return messages.map(({ offset_hours = 0, thread_replies = [], ...message }) => ({
    ...completePost(message),
    offset_hours,
    thread_replies: thread_replies.map(({ offset_minutes = 0, ...reply }) => ({
      ...completePost(reply),
      offset_minutes,
    })),
  }))
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
