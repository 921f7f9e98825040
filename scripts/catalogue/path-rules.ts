import { anchors, listOf } from '../../src/blueprints/catalogue/entries.js'
import { keysIn, momentsIn } from './post-keys.js'
import { type Rules, where } from './rule.js'

/** The rules for posts and their order on a path. */
export const pathRules: Rules = {
  'cause before effect': (view) => {
    const moments = momentsIn(view)
    return view.posts.flatMap((post) => [
      ...listOf(post.line.after)
        .filter((id) => id !== 'start' && (moments.get(id) ?? Infinity) >= post.at)
        .map((id) => ({ ...where(post), message: `posted before ${id}` })),
      ...post.replies
        .filter((reply, i) => reply.at <= (post.replies[i - 1] ?? post).at)
        .map(() => ({ ...where(post), message: 'a reply comes too early' })),
      ...(post.line.kind === 'history' && post.at >= 0
        ? [{ ...where(post), message: 'history lies after the start' }]
        : []),
    ])
  },

  'cause before effect in a drill': (view, minutes) => {
    const keys = keysIn(view)
    return view.posts.flatMap((post) => {
      const minute = minutes.get(post.key) ?? -1
      const late = listOf(post.line.after).filter(
        (id) => (minutes.get(keys.get(id) ?? '') ?? -1) > minute,
      )
      return late.map((id) => ({ ...where(post), message: `minute ${minute}, before ${id}` }))
    })
  },

  'no member answers themselves': ({ posts }) =>
    posts.flatMap((post) =>
      post.replies
        .filter((reply, i) => reply.member === (post.replies[i - 1] ?? post).member)
        .map(({ member }) => ({ ...where(post), message: `${member.role.key} speaks twice` })),
    ),

  'what a drill needs is there': (view) => {
    const keys = keysIn(view)
    const unasked = (view.scenario.decision_points ?? []).filter(
      ({ beat }) => !view.all.some(({ line }) => line.fallback_for === beat),
    )
    return [
      ...anchors
        .filter((id) => id !== 'start' && !keys.has(id))
        .map((line) => ({ line, message: 'it is not posted' })),
      ...unasked.map(({ beat }) => ({ line: beat, message: 'it has no fallback' })),
    ]
  },

  'nothing twice': ({ posts }) => {
    const seen = new Set<string>()
    return posts.flatMap((post) =>
      [post, ...post.replies].flatMap(({ text }) => {
        if (!seen.has(text)) seen.add(text)
        else return [{ ...where(post), message: `posted before: ${text}` }]
        return []
      }),
    )
  },
}
