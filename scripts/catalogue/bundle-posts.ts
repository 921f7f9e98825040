import type { Bundle, BundleMessage } from '../../src/blueprints/bundle/compose.js'
import type { Arm } from '../../src/blueprints/catalogue/entries.js'

export type Post = BundleMessage & { channel: string }

/** The posts that one arm reads, channel by channel. */
export const postsOf = ({ channels }: Bundle, arm: Arm): Post[] =>
  channels
    .flatMap(({ channel_name, message_templates }) =>
      message_templates.map((message) => ({ channel: channel_name, ...message })),
    )
    .filter((post) => isIn(post, arm))
    .map((post) => ({
      ...post,
      thread_replies: post.thread_replies.filter((reply) => isIn(reply, arm)),
    }))

const isIn = ({ metadata }: Pick<BundleMessage, 'metadata'>, arm: Arm) =>
  metadata.arm === undefined || metadata.arm === arm

/** Orders posts by hour, and within an hour by the minute of the drill. */
export const byTime = (one: Post, other: Post): number => timeOf(one) - timeOf(other)

const timeOf = ({ offset_hours, metadata }: Post) =>
  offset_hours + (metadata.drill_minute ?? 0) / 1000

/** The full name of each character, by its key. */
export const namesIn = ({ characters }: Bundle): Map<string, string> =>
  new Map(characters.map(({ key, full_name }) => [key, full_name]))
