import type { Line, Scenario, Words } from '../../src/blueprints/catalogue/entries.js'
import type { Wording } from './wording-rules.js'

const units =
  'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'
const large = 'hundred thousand million half dozen twice'
const numeral = [...units.split(' '), ...tens.split(' '), ...large.split(' ')].join('|')
const number = new RegExp(
  `\\b(\\d[\\d.,:]*\\d|\\d|(?:${numeral})(?:-(?:${numeral}|one))?)\\b`,
  'gi',
)

/** The numbers of a text, in its own spelling. */
export const numbersIn = (text: string): string[] => text.match(number) ?? []

/** The numbers and quotations of a text that no fact of the ledger covers. */
export function unrecorded(text: string, facts: string[], otherTexts: string[]): string[] {
  const plain = text.replaceAll('’', "'").toLowerCase()
  const covered = facts
    .map((fact) => fact.toLowerCase().replaceAll('’', "'").replace(/^'|'$/g, ''))
    .reduce((rest, fact) => rest.replaceAll(`'${fact}'`, ' ').replaceAll(fact, ' '), plain)
  const quotations = [
    ...covered.matchAll(/(?<![a-z0-9])'(?! )([^']*(?:'(?=[a-z])[^']*)*)'(?![a-z])/g),
  ]
    .map(([, quoted = '']) => quoted.trim().replace(/[.,?!]$/, ''))
    .filter(
      (quoted) =>
        quoted !== '' && !otherTexts.some((other) => other.toLowerCase().includes(quoted)),
    )
  return [...numbersIn(covered), ...quotations]
}

/** Each text of lines in every wording, with its channel and line. */
export const wordingsOf = (lines: Line[]): Wording[] =>
  lines.flatMap(({ id: line, channel, text, otherwise = [], replies = [] }) =>
    [text, ...otherwise.map((one) => one.text), ...replies.map((one) => one.text)]
      .flatMap(worded)
      .map((wording) => ({ channel, line, text: wording })),
  )

export const wordingsIn = ({ story, voices = [] }: Scenario): Wording[] =>
  wordingsOf([...story, ...voices])

/** Every wording of a text, for all arms and models. */
function worded(words: Words): string[] {
  if (typeof words === 'string') return [words]
  return Object.values(words).flatMap((texts) => Object.values(texts as Record<string, string>))
}
