import { wordsOf } from './ngrams.js'

/** The sentences of texts. A line of a list is a sentence of its own. */
export const sentencesOf = (texts: string[]): string[] =>
  texts.flatMap((text) =>
    text.split(/(?<=[.?!])['")]*\s+|\n+/).filter((sentence) => wordsOf(sentence).length > 0),
  )

/**
 * The reading ease of texts: R. Flesch (1948). A new readability yardstick. Journal of Applied
 * Psychology, 32(3), 221-233, https://doi.org/10.1037/h0057532. From 70 on a text is fairly easy.
 */
export function readingEase(texts: string[]): number {
  const sentences = sentencesOf(texts)
  const words = sentences.flatMap((sentence) => wordsOf(sentence))
  const syllables = words.reduce((sum, word) => sum + syllablesIn(word), 0)
  if (words.length === 0) return 100
  return 206.835 - 1.015 * (words.length / sentences.length) - 84.6 * (syllables / words.length)
}

/** Counts groups of vowels, without a silent e at the end. A number counts as one syllable. */
export function syllablesIn(word: string): number {
  const spoken = word
    .replace(/'\w*$/, '')
    .replace(/(?<=[aeiouy].*[^aeiouyl])e$|(?<=[aeiouy].*[aeiouy]l)e$/, '')
    .replace(/(?<=[aeiouy].*[^aeiouytd])ed$|(?<=[aeiouy].*[^aeiouyszxc])es$/, '')
  return Math.max(spoken.match(/[aeiouy]+/g)?.length ?? 0, 1)
}

export function medianOf(numbers: number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
