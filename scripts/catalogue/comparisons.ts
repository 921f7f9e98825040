import type { Origin } from '../../src/blueprints/bundle/script/script.js'
import type { Post } from '../../src/blueprints/bundle/script/utterances.js'
import type { Catalogue, Scenario } from '../../src/blueprints/catalogue/entries.js'
import { numbersIn } from './ledger.js'
import { type FindingAbout, largest, type Measured, none } from './measured.js'
import { shared, sharedShare } from './ngrams.js'
import { controlOf, textsIn } from './views.js'

type Pair = { one: Scenario; other: Scenario }

/** Measures how much two scenarios have in common. */
export function compareScenarios(catalogue: Catalogue, scenarios: Scenario[]): Measured[] {
  const pairs = scenarios.flatMap((one) =>
    scenarios.filter((other) => other !== one).map((other) => ({ one, other })),
  )
  const stories = new Map(scenarios.map((one) => [one, ownPosts(catalogue, one)]))
  const storyOf = (scenario: Scenario) => stories.get(scenario) ?? []
  return [
    largest(
      'five-word sequences that two stories share',
      0.01,
      pairs.map((pair) => {
        const texts = [textsIn(storyOf(pair.one)), textsIn(storyOf(pair.other))] as const
        const common = shared(...texts).slice(0, 5)
        return { share: sharedShare(...texts), about: between(pair, `: ${common.join(' | ')}`) }
      }),
    ),
    largest(
      '(channel, hour, kind) that two stories share',
      0.4,
      pairs.map((pair) => {
        const [own, other] = [slotsIn(storyOf(pair.one)), slotsIn(storyOf(pair.other))]
        const share = [...own].filter((slot) => other.has(slot)).length / own.size
        return { share, about: between(pair) }
      }),
    ),
    largest(
      'five-word sequences that bundles of equal models share',
      0.25,
      pairs.flatMap((pair) => [3, 6, 24].map((size) => shareOfBundles(catalogue, pair, size))),
    ),
    none(
      'three numbers in a row that two scenarios share',
      pairs.flatMap((pair) => {
        const [own, other] = [triplesIn(storyOf(pair.one)), triplesIn(storyOf(pair.other))]
        return [...own]
          .filter((triple) => other.has(triple))
          .map((triple) => between(pair, `: ${triple}`))
      }),
    ),
  ]
}

const between = ({ one, other }: Pair, what = ''): FindingAbout => {
  return { scenario: one.scenario_type, message: `with ${other.scenario_type}${what}` }
}

/** The share of a bundle that another scenario's bundle with the same models has as well. */
function shareOfBundles(catalogue: Catalogue, pair: Pair, size: number) {
  const texts = (scenario: Scenario) =>
    textsIn(controlOf(catalogue, scenario, size, pair.one.models))
  const share = sharedShare(texts(pair.one), texts(pair.other))
  return { share, about: { ...between(pair), size } }
}

/** The posts of a scenario without those that the models add. */
function ownPosts(catalogue: Catalogue, scenario: Scenario): Post[] {
  const isOwn = ({ origin }: { origin: Origin }) => origin === 'story' || origin === 'voices'
  return controlOf(catalogue, scenario, 50)
    .filter(isOwn)
    .map((post) => ({ ...post, replies: post.replies.filter(isOwn) }))
}

/** Each post as its channel, hour and kind. */
const slotsIn = (posts: Post[]) =>
  new Set(
    posts
      .filter(({ origin }) => origin === 'story')
      .map(({ channel, at, line }) => `${channel} ${at} ${line.kind}`),
  )

/** All sequences of three different numbers, in reading order. */
function triplesIn(posts: Post[]): Set<string> {
  const numbers = textsIn(posts).flatMap((text) => numbersIn(text.toLowerCase()))
  const rows = numbers.slice(2).map((_, i) => numbers.slice(i, i + 3))
  return new Set(rows.filter((row) => new Set(row).size === 3).map((row) => row.join(' ')))
}
