import type { Scenario } from '../../src/blueprints/catalogue/entries.js'
import { numbersIn } from './ledger.js'
import { type FindingAbout, type Measured, none, within } from './measured.js'
import { wordsOf } from './ngrams.js'
import { sentencesOf } from './readability.js'
import { saidIn, type View } from './views.js'

/** The arms should differ in at least four texts, and only in how they say the same. */
export function measureArms(control: View, intervention: View): Measured[] {
  const scenario = control.scenario.scenario_type
  const [one, other] = [textsByKey(control), textsByKey(intervention)]
  const lonely = [...one.keys(), ...other.keys()].filter((key) => !one.has(key) || !other.has(key))
  const pairs = [...one].flatMap(([line, text]): Pair[] => {
    const second = other.get(line)
    return second === undefined || second === text ? [] : [{ line, texts: [text, second] }]
  })
  const uneven = (count: (text: string) => number, what: string) =>
    findingsIn(control.scenario, pairs, count, what)
  return [
    within('posts that differ between the arms', pairs.length, [4, Infinity], { scenario }),
    none(
      'posts of one arm that are longer',
      pairs.flatMap(({ line, texts }): FindingAbout[] => {
        const [less = 0, more = 0] = texts
          .map((text) => wordsOf(text).length)
          .toSorted((a, b) => a - b)
        if (more - less <= 0.2 * more) return []
        return [{ scenario, line, message: `${less} words in one arm, ${more} in the other` }]
      }),
    ),
    none('posts of one arm with more questions', uneven(questionsIn, 'questions')),
    none('posts of one arm with more instructions', uneven(instructionsIn, 'instructions')),
    none(
      'posts of one arm with more figures',
      uneven((text) => numbersIn(text).length, 'figures'),
    ),
    none(
      'posts of one arm alone',
      lonely.map((line) => ({ scenario, line, message: 'it has no counterpart' })),
    ),
  ]
}

interface Pair {
  line: string
  texts: [control: string, intervention: string]
}

function findingsIn(
  { scenario_type: scenario }: Scenario,
  pairs: Pair[],
  count: (text: string) => number,
  what: string,
): FindingAbout[] {
  return pairs.flatMap(({ line, texts }) => {
    const [one, other] = texts.map(count)
    const message = `${one} ${what} in the control arm, ${other} in the other: ${texts.join(' / ')}`
    return one === other ? [] : [{ scenario, line, message }]
  })
}

const textsByKey = ({ posts }: View) => new Map(saidIn(posts).map(({ key, text }) => [key, text]))

const questionsIn = (text: string) => text.match(/\?/g)?.length ?? 0

/** Verbs with which a sentence that tells people to do something begins. */
const verbs =
  "add answer ask begin bring call check choose come count decide don't find give go help hold keep leave let look make meet move open pass put read remember ring say send show speak start stop take talk tell think try turn use wait walk watch write"
const instruction = new RegExp(`\\bplease\\b|^(${verbs.replaceAll(' ', '|')})\\b`, 'i')

/** The sentences that tell people to do something, as far as their first word shows it. */
const instructionsIn = (text: string) =>
  sentencesOf([text])
    .flatMap((sentence) => sentence.split(/[:;] |^- /))
    .filter((part) => !part.endsWith('?') && instruction.test(part.trim())).length
