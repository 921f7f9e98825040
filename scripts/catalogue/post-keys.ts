import { saidIn, type View } from './views.js'

/** The keys of posts and replies, by the id of their line. */
export function keysIn({ posts, script }: View): Map<string, string> {
  const cues = new Map(script.cues.map((cue) => [cue.line.id, cue]))
  return new Map(
    posts.flatMap((post) => {
      const replies = post.replies.flatMap(({ key }) => {
        const index = Number(key.slice(key.lastIndexOf('/') + 1))
        const id = cues.get(post.key)?.replies[index]?.reply.id
        return id ? [[id, key] as const] : []
      })
      return [[post.key, post.key] as const, ...replies]
    }),
  )
}

/** The times of posts and replies, by the id of their line. */
export function momentsIn(view: View): Map<string, number> {
  const moments = new Map(saidIn(view.posts).map(({ key, at }) => [key, at]))
  return new Map([...keysIn(view)].map(([id, key]) => [id, moments.get(key) ?? 0]))
}
