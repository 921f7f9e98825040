import type { Post, Utterance } from '../../src/blueprints/bundle/script/utterances.js'
import { type Rules, where } from './rule.js'

/** The scenarios whose askers work in the same house as the cast. */
const inTheHouse = ['hr_workforce', 'leadership_transition', 'performance_review']

const unreachable = /\bI (can't|cannot|won't) be reached\b|\bI'm (out of reach|not reachable)\b/i
const selfAccusing = /\bI'm to blame\b|\bblame me\b|\bmy (own )?fault\b/i

/** The rules for what people can say where they are, and about themselves. */
export const guardRules: Rules = {
  'no one from outside in the corridor': ({ scenario, posts }) => {
    const { scenario_type, terms } = scenario
    const asker = terms.requesters.replace(/^the /, '')
    return inTheHouse.includes(scenario_type)
      ? []
      : findingsOf(posts, ({ text }) => {
          return /\bcorridors?\b/i.test(text) && text.toLowerCase().includes(asker)
        })
  },

  'no one posts after being out of reach': ({ posts }) => {
    const said = posts.flatMap((post) => [post, ...post.replies])
    return findingsOf(
      posts,
      ({ text, member, at }) =>
        unreachable.test(text) && said.some((one) => one.member === member && one.at > at),
    )
  },

  'no one accuses themselves': ({ posts }) =>
    findingsOf(posts, ({ text }) => selfAccusing.test(text)),
}

const findingsOf = (posts: Post[], isFault: (said: Utterance) => boolean) =>
  posts.flatMap((post) =>
    [post, ...post.replies].filter(isFault).map(({ text }) => ({ ...where(post), message: text })),
  )
