import { isAtWork, isWeekend } from '../../src/blueprints/catalogue/faults/working-time.js'
import { type Rules, where } from './rule.js'

/** The rules for each post by itself. */
export const postRules: Rules = {
  'own hours, no weekend': ({ posts }) =>
    posts.flatMap((post) =>
      [post, ...post.replies]
        .filter(({ at, member }) => {
          return isWeekend(at) || !isAtWork(at, member.hours)
        })
        .map(({ member }) => ({ ...where(post), message: `${member.role.key} is not at work` })),
    ),

  'no absent member is implied': ({ posts, size }) =>
    posts.flatMap((post) =>
      [post, ...post.replies]
        .filter(({ text }) => impliedIn(text) > size)
        .map(({ text }) => ({ ...where(post), message: `a team of ${size}: ${text}` })),
    ),

  'no one is above the head of the firm': ({ posts, cast }) =>
    cast[0]?.role.seniority !== 'executive'
      ? []
      : posts.flatMap((post) =>
          [post, ...post.replies]
            .filter(({ text }) => /\b(above us|some(one|body) (above|upstairs))\b/i.test(text))
            .map(({ text }) => ({ ...where(post), message: text })),
        ),

  'no quiet day in the hour of an incident': ({ posts }) => {
    const incidents = posts.filter(({ line }) => line.kind === 'incident')
    return posts.flatMap((post) =>
      [post, ...post.replies]
        .filter(({ text }) => /\bquiet (day|morning|afternoon|week|stretch)\b/i.test(text))
        .filter(({ at }) => incidents.some((one) => at >= one.at && at < one.at + 60))
        .map(({ text }) => ({ ...where(post), message: text })),
    )
  },

  'clean texts': ({ posts }) =>
    posts.flatMap((post) =>
      [post, ...post.replies]
        .filter(({ text }) => /[{}]|undefined| {2}|^\s|\s$|^[a-z]|[a-z]{5,}[.?!] [a-z]/.test(text))
        .map(({ text }) => ({ ...where(post), message: text })),
    ),
}

/** How many people a text implies, with the speaker. */
function impliedIn(text: string): number {
  const pairs = /\b(both|two) of (you|us)\b|\byou (two|both)\b|\bthe two of (you|us)\b/i
  const three = /\bthree of (you|us)\b|\byou three\b|\bthe others on the team\b/i
  if (three.test(text)) return /of us/i.test(text) ? 3 : 4
  if (pairs.test(text)) return /of us/i.test(text) ? 2 : 3
  return 1
}
