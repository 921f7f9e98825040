import type { Post } from '../../src/blueprints/bundle/script/utterances.js'
import { type Catalogue, listOf, type Scenario } from '../../src/blueprints/catalogue/entries.js'
import { wordingsIn } from './ledger.js'
import { allWithin, type FindingAbout, type Measured, none, noted, within } from './measured.js'
import { wordsOf } from './ngrams.js'
import { onPath, pathsOf, pathText } from './paths.js'
import { medianOf, readingEase, sentencesOf } from './readability.js'
import { saidIn, sizes, type View, viewsOf } from './views.js'

const any = Number.POSITIVE_INFINITY

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
    // The models alone add about sixty messages. The bounds hold when their lines are written anew.
    noted(
      'messages in play with six people',
      each(six, (view) => saidIn(inPlay(view)).length),
      'at most 60',
    ),
    noted(
      'words in play with six people',
      each(six, (view) => wordsIn(inPlay(view))),
      'at most 1400',
    ),
    noted(
      'messages in play with any team',
      each(whole, (view) => saidIn(inPlay(view)).length),
      'at most 90',
    ),
    ...measureReading(scenario),
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

/** Measures how easily the texts are read, in every wording. A placeholder counts as one word. */
function measureReading(scenario: Scenario): Measured[] {
  const about = { scenario: scenario.scenario_type }
  const texts = wordingsIn(scenario).map(({ text }) => text.replace(/\{\w+\}/g, 'Ann'))
  const sentences = sentencesOf(texts)
  const lengths = sentences.map((sentence) => wordsOf(sentence).length)
  return [
    within('reading ease after Flesch', Math.round(readingEase(texts)), [70, any], about),
    within('words of a sentence at the median', medianOf(lengths), [0, 12], about),
    none(
      'sentences of more than 25 words',
      sentences
        .filter((sentence) => wordsOf(sentence).length > 25)
        .map((message) => ({ ...about, message })),
    ),
  ]
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
