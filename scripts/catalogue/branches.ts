import type { Post } from '../../src/blueprints/bundle/script/utterances.js'
import { type Catalogue, listOf, type Scenario } from '../../src/blueprints/catalogue/entries.js'
import { allWithin, type FindingAbout, largest, type Measured, none, within } from './measured.js'
import { wordsOf } from './ngrams.js'
import { onPath, pathsOf, pathText } from './paths.js'
import { saidIn, sizes, type View, viewsOf } from './views.js'

/** Measures the size of a scenario with branches on each of its paths. */
export function measureBranches(catalogue: Catalogue, scenario: Scenario): Measured[] {
  const whole = sizes.flatMap((size) => pathsIn(viewsOf(catalogue, scenario, size)))
  const six = whole.filter(({ size }) => size === 6)
  const each = (views: View[], count: (view: View) => number) =>
    views.map((view) => ({ figure: count(view), about: aboutView(view) }))
  return [
    allWithin(
      'root lines of the story on a path',
      each(six, (view) => storyIn(view).length),
      [12, 15],
    ),
    allWithin(
      'replies of the story on a path',
      each(six, (view) => storyIn(view).flatMap(({ replies }) => replies).length),
      [0, 30],
    ),
    allWithin(
      'words of the story on a path',
      each(six, (view) => wordsIn(storyIn(view))),
      [900, 1200],
    ),
    allWithin(
      'messages in play with six people',
      each(six, (view) => saidIn(inPlay(view)).length),
      [0, 60],
    ),
    allWithin(
      'words in play with six people',
      each(six, (view) => wordsIn(inPlay(view))),
      [0, 1400],
    ),
    allWithin(
      'messages in play with any team',
      each(whole, (view) => saidIn(inPlay(view)).length),
      [0, 90],
    ),
    largest(
      'messages that models add',
      0.2,
      six.map((view) => {
        const said = saidIn(inPlay(view))
        const added = said.filter(({ origin }) => origin !== 'story' && origin !== 'voices')
        const message = `${added.length} of ${said.length} messages`
        return {
          share: added.length / Math.max(said.length, 1),
          about: { ...aboutView(view), message },
        }
      }),
    ),
    within('channels', scenario.channels.length, [3, 5], { scenario: scenario.scenario_type }),
    none('lines that no path reaches', unreached(scenario, six)),
    none('options without an acknowledgement or a later consequence', loneOptions(scenario)),
  ]
}

const pathsIn = (views: View[]): View[] =>
  views.flatMap((view) => pathsOf(view).map((path) => onPath(view, path)))

function aboutView({ scenario, size, arm, path }: View): Omit<FindingAbout, 'message'> {
  return { scenario: scenario.scenario_type, size, arm, path: path && pathText(path) }
}

const inPlay = ({ posts }: View): Post[] => posts.filter(({ at }) => at >= 0)

/** The story in play, without what models add. */
const storyIn = (view: View): Post[] =>
  inPlay(view)
    .filter(({ origin }) => origin === 'story')
    .map((post) => ({ ...post, replies: post.replies.filter(({ origin }) => origin === 'story') }))

const wordsIn = (posts: Post[]): number => saidIn(posts).flatMap(({ text }) => wordsOf(text)).length

/** Finds lines that the six people never say with the scenario's own models. */
function unreached({ scenario_type, story }: Scenario, views: View[]): FindingAbout[] {
  const said = new Set(views.flatMap(({ posts }) => posts.map(({ key }) => key)))
  return story
    .filter(({ id, when }) => !when && !said.has(id))
    .map(({ id: line }) => ({ scenario: scenario_type, line, message: 'it is never said' }))
}

/** Finds options that no line acknowledges, or on which nothing later depends. */
function loneOptions({ scenario_type, story, voices = [], decision_points = [] }: Scenario) {
  const lines = [...story, ...voices]
  const acknowledgements = lines.filter(({ kind }) => kind === 'acknowledgement')
  const consequences = lines.filter(({ kind }) => kind !== 'acknowledgement' && kind !== 'fallback')
  const later = [...consequences, ...consequences.flatMap(({ replies = [] }) => replies)]
  const names = (conditions: Scenario['story'][number]['only_if'], beat: string, key: string) =>
    listOf(conditions ?? []).some((one) => one.beat === beat && one.options.includes(key))
  const isAcknowledged = (beat: string, key: string) =>
    acknowledgements.some(({ only_if }) => names(only_if, beat, key))
  const hasConsequence = (beat: string, key: string) =>
    later.some(({ only_if, unless }) => names(only_if, beat, key) || names(unless, beat, key))
  return decision_points.flatMap(({ beat, options }) =>
    options.flatMap(({ option }): FindingAbout[] => {
      const about = { scenario: scenario_type, line: beat }
      return [
        ...(isAcknowledged(beat, option)
          ? []
          : [{ ...about, message: `no line acknowledges ${option}` }]),
        ...(hasConsequence(beat, option)
          ? []
          : [{ ...about, message: `nothing later depends on ${option}` }]),
      ]
    }),
  )
}
