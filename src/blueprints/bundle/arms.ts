import type { Arm } from '../catalogue/entries.js'
import type { Post, Utterance } from './timeline.js'

type InArm<Part> = Part & { arm?: Arm }
export type Scene = InArm<Omit<Post, 'replies'>> & { replies: InArm<Utterance>[] }

/** Both arms in one: what either says alike is there once, the rest is marked with its arm. */
export function joinArms({ control, intervention }: Record<Arm, Post[]>): Scene[] {
  return joined(control, intervention).flatMap((post) => {
    const other = intervention.find(({ key }) => key === post.key)
    const replies = post.arm || !other ? post.replies : joined(post.replies, other.replies)
    return [{ ...post, replies }]
  })
}

function joined<Part extends Utterance>(control: Part[], intervention: Part[]): InArm<Part>[] {
  const twins = new Map(intervention.map((part) => [part.key, part]))
  const alike = new Set(
    control.filter((part) => areAlike(part, twins.get(part.key))).map(({ key }) => key),
  )
  return [
    ...control.map((part) => (alike.has(part.key) ? part : { ...part, arm: 'control' as const })),
    ...intervention
      .filter(({ key }) => !alike.has(key))
      .map((part) => ({ ...part, arm: 'intervention' as const })),
  ].sort((one, other) => one.at - other.at)
}

const areAlike = (one: Utterance, other: Utterance | undefined): boolean =>
  one.text === other?.text && one.at === other.at && one.member === other.member
