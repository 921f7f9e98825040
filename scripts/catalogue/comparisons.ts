import type { Origin } from '../../src/blueprints/bundle/script.js'
import type { Post } from '../../src/blueprints/bundle/timeline.js'
import type { Catalogue, Scenario } from '../../src/blueprints/catalogue/entries.js'
import { controlOf, largest } from './largest.js'
import { numbersIn } from './ledger.js'
import { shared, sharedShare } from './ngrams.js'
import type { Measured } from './prose.js'
import { textsIn } from './views.js'

/** What two scenarios have in common. */
export function compareScenarios(catalogue: Catalogue, scenarios: Scenario[]): Measured[] {
  const pairs = scenarios.flatMap((one, i) =>
    scenarios.slice(i + 1).map((other) => ({ one, other })),
  )
  const stories = new Map(scenarios.map((one) => [one, ownPosts(catalogue, one)]))
  const storyOf = (scenario: Scenario) => stories.get(scenario) ?? []
  const about = ({ one, other }: (typeof pairs)[number], message: string) => {
    return { scenario: one.scenario_type, message: `with ${other.scenario_type}${message}` }
  }
  return [
    largest(
      'five-word sequences that two stories share',
      0.01,
      pairs.map((pair) => {
        const texts = [textsIn(storyOf(pair.one)), textsIn(storyOf(pair.other))] as const
        const common = shared(...texts)
          .slice(0, 5)
          .join(' | ')
        return { share: sharedShare(...texts), about: about(pair, `: ${common}`) }
      }),
    ),
    largest(
      '(channel, hour, kind) that two stories share',
      0.4,
      pairs.map((pair) => {
        const places = (scenario: Scenario) =>
          new Set(storyOf(scenario).map(({ channel, at, line }) => `${channel} ${at} ${line.kind}`))
        const [own, other] = [places(pair.one), places(pair.other)]
        const share = [...own].filter((place) => other.has(place)).length / own.size
        return { share, about: about(pair, '') }
      }),
    ),
    largest(
      'five-word sequences that bundles of equal models share',
      0.25,
      pairs.flatMap((pair) =>
        [6, 24].map((size) => {
          const { models } = pair.one
          const texts = (scenario: Scenario) =>
            textsIn(controlOf(catalogue, scenario, size, models))
          const share = sharedShare(texts(pair.one), texts(pair.other))
          return { share, about: { ...about(pair, ''), size } }
        }),
      ),
    ),
    triples(pairs, storyOf),
  ]
}

/** What a scenario says itself, without what the models add. */
function ownPosts(catalogue: Catalogue, scenario: Scenario): Post[] {
  const isOwn = ({ origin }: { origin: Origin }) => origin === 'story' || origin === 'voices'
  return controlOf(catalogue, scenario, 50)
    .filter(isOwn)
    .map((post) => ({ ...post, replies: post.replies.filter(isOwn) }))
}

function triples(
  pairs: { one: Scenario; other: Scenario }[],
  storyOf: (scenario: Scenario) => Post[],
): Measured {
  const rule = 'three numbers in a row that two scenarios share'
  const findings = pairs.flatMap(({ one, other }) => {
    const [own, others] = [triplesIn(storyOf(one)), triplesIn(storyOf(other))]
    return [...own]
      .filter((triple) => others.has(triple))
      .map((triple) => {
        const message = `${triple}, as ${other.scenario_type}`
        return { rule, scenario: one.scenario_type, message }
      })
  })
  return { rule, bound: 'none', figure: String(findings.length), findings }
}

/** Three different numbers, as they follow each other when one reads. */
function triplesIn(posts: Post[]): Set<string> {
  const numbers = textsIn(posts).flatMap((text) => numbersIn(text.toLowerCase()))
  const rows = numbers.slice(2).map((_, i) => numbers.slice(i, i + 3))
  return new Set(rows.filter((row) => new Set(row).size === 3).map((row) => row.join(' ')))
}
