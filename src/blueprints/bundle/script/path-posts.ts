import { holdOn, type Path } from '../../catalogue/decisions/conditions.js'
import { type Asks, pathOf } from '../../catalogue/decisions/paths.js'
import type { Scenario } from '../../catalogue/entries.js'
import type { Post } from './utterances.js'

type Asking = Pick<Post, 'line' | 'conditions'>

/** The conditions under which each decision is asked in some posts. */
export function asksIn(posts: Asking[]): Asks {
  const asks = new Map<string, Asking['conditions'][]>()
  for (const { line, conditions } of posts) {
    const { kind, beat } = line
    if (kind !== 'decision_point' || !beat) continue
    asks.set(beat, [...(asks.get(beat) ?? []), conditions])
  }
  return asks
}

/** The posts and replies that are said on a path. */
export function postsOn<One extends Post>(
  { decision_points = [] }: Scenario,
  posts: One[],
  outcomes: Path,
): One[] {
  const path = pathOf(outcomes, decision_points, asksIn(posts))
  const isSaid = ({ conditions }: Pick<Post, 'conditions'>) =>
    holdOn(conditions, decision_points, path)
  return posts.filter(isSaid).map((post) => ({ ...post, replies: post.replies.filter(isSaid) }))
}
