import { anchors, listOf } from '../../src/blueprints/catalogue/entries.js'
import { isAtWork, isWeekend } from '../../src/blueprints/catalogue/working-time.js'
import type { Finding } from './measured.js'
import { keysIn, momentsIn } from './post-keys.js'
import { minutesOf, type View } from './views.js'

type Found = Omit<Finding, 'rule' | 'scenario' | 'models' | 'size' | 'arm'>

const where = ({ channel, key }: { channel: string; key: string }) => ({ channel, line: key })

/** The rules for each arm of each team. A rule returns the posts that break it. */
export const playRules: Record<string, (view: View, minutes: Map<string, number>) => Found[]> = {
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

  'a decision has its time': (view, minutes) =>
    (view.scenario.decision_points ?? []).flatMap(({ beat, deadline_minutes }) => {
      const asked = view.posts.find(
        ({ line }) => line.kind === 'decision_point' && line.beat === beat,
      )
      const fallback = view.posts.find(({ line }) => line.fallback_for === beat)
      if (!asked || !fallback) return []
      const given = (minutes.get(fallback.key) ?? 0) - (minutes.get(asked.key) ?? 0)
      const early = view.posts.filter(
        (post) =>
          post.origin === 'story' &&
          post.at < fallback.at &&
          listOf(post.line.after).includes(asked.key),
      )
      return [
        ...asked.replies.map(() => ({ ...where(asked), message: 'characters answer it' })),
        ...early.map((post) => ({ ...where(post), message: 'it goes on before the deadline' })),
        ...(given >= deadline_minutes && given <= deadline_minutes + 3
          ? []
          : [{ ...where(asked), message: `${given} minutes instead of ${deadline_minutes}` }]),
      ]
    }),

  'own hours, no weekend': ({ posts }) =>
    posts.flatMap((post) =>
      [post, ...post.replies]
        .filter(({ at, member }) => {
          return isWeekend(at) || !isAtWork(at, member.hours)
        })
        .map(({ member }) => ({ ...where(post), message: `${member.role.key} is not at work` })),
    ),

  'no member answers themselves': ({ posts }) =>
    posts.flatMap((post) =>
      post.replies
        .filter((reply, i) => reply.member === (post.replies[i - 1] ?? post).member)
        .map(({ member }) => ({ ...where(post), message: `${member.role.key} speaks twice` })),
    ),

  'no absent member is implied': ({ posts, size }) =>
    posts.flatMap((post) =>
      [post, ...post.replies]
        .filter(({ text }) => impliedIn(text) > size)
        .map(({ text }) => ({ ...where(post), message: `a team of ${size}: ${text}` })),
    ),

  'what a drill needs is there': (view) => {
    const keys = keysIn(view)
    const unasked = (view.scenario.decision_points ?? []).filter(
      ({ beat }) => !view.posts.some(({ line }) => line.fallback_for === beat),
    )
    return [
      ...anchors
        .filter((id) => id !== 'start' && !keys.has(id))
        .map((line) => ({ line, message: 'it is not posted' })),
      ...unasked.map(({ beat }) => ({ line: beat, message: 'it has no fallback' })),
    ]
  },

  'clean texts': ({ posts }) =>
    posts.flatMap((post) =>
      [post, ...post.replies]
        .filter(({ text }) => /[{}]|undefined| {2}|^\s|\s$|^[a-z]|[a-z]{5,}[.?!] [a-z]/.test(text))
        .map(({ text }) => ({ ...where(post), message: text })),
    ),

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

/** How many people a text implies, with the speaker. */
function impliedIn(text: string): number {
  const pairs = /\b(both|two) of (you|us)\b|\byou (two|both)\b|\bthe two of (you|us)\b/i
  const three = /\bthree of (you|us)\b|\byou three\b|\bthe others on the team\b/i
  if (three.test(text)) return /of us/i.test(text) ? 3 : 4
  if (pairs.test(text)) return /of us/i.test(text) ? 2 : 3
  return 1
}

/** Checks one team with one choice of models, in both arms. */
export function findingsInPlay(views: View[]): Finding[] {
  const minutes = minutesOf(views)
  return views.flatMap((view) => {
    const { scenario, changed: models, size, arm } = view
    const about = { scenario: scenario.scenario_type, models, size, arm }
    return Object.entries(playRules).flatMap(([rule, find]) =>
      find(view, minutes).map((found) => ({ rule, ...about, ...found })),
    )
  })
}
