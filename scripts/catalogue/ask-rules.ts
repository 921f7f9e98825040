import type { Post } from '../../src/blueprints/bundle/script/utterances.js'
import { type Rules, where } from './rule.js'
import { saidIn, type View } from './views.js'

/** A post that asks participants for something, with the minutes in which they may answer. */
interface Ask {
  post: Post
  from: number
  to: number
}

/** The asks of a path, in order of time. */
function asksIn({ scenario, posts }: View, minutes: Map<string, number>): Ask[] {
  return posts
    .flatMap((post): Ask[] => {
      const { kind, beat, expectation } = post.line
      const decision = scenario.decision_points?.find((one) => one.beat === beat)
      const asked = kind === 'decision_point' ? decision : expectation
      const from = minutes.get(post.key)
      if (!asked || from === undefined) return []
      return [{ post, from, to: from + asked.deadline_minutes }]
    })
    .sort((one, other) => one.from - other.from)
}

/** The rules for what participants are asked for on a path, in the minutes of a drill. */
export const askRules: Rules = {
  'one ask at a time': (view, minutes) => {
    const asks = asksIn(view, minutes)
    return asks.slice(1).flatMap(({ post, from }, i) => {
      const [before] = asks.slice(0, i + 1).toSorted((one, other) => other.to - one.to)
      if (!before || before.to <= from) return []
      const message = `asked in minute ${from}, while ${before.post.key} is open until ${before.to}`
      return [{ ...where(post), message }]
    })
  },

  'those who ask wait in silence': (view, minutes) =>
    asksIn(view, minutes).flatMap(({ post, from, to }) => {
      const isInside = (key: string) => {
        const minute = minutes.get(key) ?? -1
        return minute > from && minute < to
      }
      const threads = view.posts.filter(
        ({ key, channel }) => key !== post.key && channel === post.channel && isInside(key),
      )
      const said = saidIn(view.posts).filter(
        ({ key, member }) => member === post.member && isInside(key),
      )
      return [
        ...threads.map((one) => ({
          ...where(post),
          message: `${one.key} opens a thread beside it`,
        })),
        ...said.map(({ key }) => ({ ...where(post), message: `who asks says ${key}` })),
      ]
    }),
}
