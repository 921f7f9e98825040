import type { Post } from '../../src/blueprints/bundle/script/utterances.js'
import { beatsIn, joinConditions } from '../../src/blueprints/catalogue/decisions/conditions.js'
import { listOf } from '../../src/blueprints/catalogue/entries.js'
import { type Rules, where } from './rule.js'
import type { View } from './views.js'

const askOf = ({ all }: View, beat: string): Post | undefined =>
  all.find(({ line }) => line.kind === 'decision_point' && line.beat === beat)

const fallbackOf = ({ all }: View, beat: string): Post | undefined =>
  all.find(({ line }) => line.fallback_for === beat)

/** The rules for decisions on a path. */
export const decisionRules: Rules = {
  'a decision has its time': (view, minutes) =>
    (view.scenario.decision_points ?? []).flatMap(({ beat, deadline_minutes }) => {
      const [asked, fallback] = [askOf(view, beat), fallbackOf(view, beat)]
      if (!asked || !fallback) return []
      const given = (minutes.get(fallback.key) ?? 0) - (minutes.get(asked.key) ?? 0)
      const answers = view.posts
        .filter(({ key }) => key === asked.key)
        .flatMap((one) => one.replies)
      const early = view.posts.filter(
        (post) =>
          post.origin === 'story' &&
          post.at < fallback.at &&
          listOf(post.line.after).includes(asked.key),
      )
      return [
        ...answers.map(() => ({ ...where(asked), message: 'characters answer it' })),
        ...early.map((post) => ({ ...where(post), message: 'it goes on before the deadline' })),
        ...(given === deadline_minutes
          ? []
          : [{ ...where(asked), message: `${given} minutes instead of ${deadline_minutes}` }]),
      ]
    }),

  'what depends on a decision comes after it': (view, minutes) => {
    const ends = new Map(
      (view.scenario.decision_points ?? []).map(({ beat, deadline_minutes }) => {
        const [asked, fallback] = [askOf(view, beat), fallbackOf(view, beat)]
        const minute = asked && (minutes.get(asked.key) ?? 0) + deadline_minutes
        return [beat, { minute: minute ?? 0, at: fallback?.at ?? asked?.at ?? 0 }]
      }),
    )
    return view.posts.flatMap((post) =>
      [post, ...post.replies].flatMap(({ key, at, conditions }) => {
        const early = beatsIn(joinConditions([post.conditions, conditions])).filter((beat) => {
          const end = ends.get(beat)
          const isBefore = post.conditions.acknowledges ? at < (end?.at ?? 0) : at <= (end?.at ?? 0)
          return isBefore || (minutes.get(key) ?? 0) < (end?.minute ?? 0)
        })
        return early.map((beat) => ({ ...where(post), message: `before ${beat} has ended` }))
      }),
    )
  },

  'an acknowledgement asks for nothing': ({ posts }) =>
    posts
      .filter(({ line }) => line.kind === 'acknowledgement' && line.expectation)
      .map((post) => ({ ...where(post), message: 'it has an expectation of its own' })),
}
