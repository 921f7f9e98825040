import type { Arm } from '../catalogue/entries.js'
import type { Post, Utterance } from './script/utterances.js'

type InArm<T> = T & { arm?: Arm }
export type Scene = InArm<Omit<Post, 'replies'>> & { replies: InArm<Utterance>[] }

/**
 * Merges the posts of both arms. A post that is the same in both appears once; the others are marked
 * with their arm.
 */
export function joinArms({ control, intervention }: Record<Arm, Post[]>): Scene[] {
  return joinPosts(control, intervention).flatMap((post) => {
    const other = intervention.find(({ key }) => key === post.key)
    const replies = post.arm || !other ? post.replies : joinPosts(post.replies, other.replies)
    return [{ ...post, replies }]
  })
}

function joinPosts<T extends Utterance>(control: T[], intervention: T[]): InArm<T>[] {
  const counterparts = new Map(intervention.map((one) => [one.key, one]))
  const alike = new Set(
    control.filter((one) => areAlike(one, counterparts.get(one.key))).map(({ key }) => key),
  )
  return [
    ...control.map((one) => (alike.has(one.key) ? one : { ...one, arm: 'control' as const })),
    ...intervention
      .filter(({ key }) => !alike.has(key))
      .map((one) => ({ ...one, arm: 'intervention' as const })),
  ].sort((one, other) => one.at - other.at)
}

const areAlike = (one: Utterance, other: Utterance | undefined): boolean =>
  one.text === other?.text && one.at === other.at && one.member === other.member
